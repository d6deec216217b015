"""Metadata that a person can read in the Dagster UI: tables of at most a hundred rows, and markdown."""

from collections.abc import Mapping, Sequence
from time import perf_counter

import dagster as dg

MOST_ROWS = 100


def seconds_since(started: float) -> float:
    """Seconds since a reading of ``perf_counter``, to the millisecond."""
    return round(perf_counter() - started, 3)


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> dg.TableMetadataValue:
    """The first hundred rows as a table; values are shown as text, integers as numbers."""
    records = [
        dg.TableRecord({c: row.get(c) if isinstance(row.get(c), int) else str(row.get(c, "")) for c in columns})
        for row in rows[:MOST_ROWS]
    ]
    kinds = {c: "int" if rows and all(isinstance(row.get(c), int) for row in rows) else "string" for c in columns}
    return dg.MetadataValue.table(
        records, schema=dg.TableSchema([dg.TableColumn(name, type=kinds[name]) for name in columns])
    )


def markdown_list(lines: Sequence[str], *, empty: str) -> dg.MarkdownMetadataValue:
    """Lines as a bullet list, or a sentence that says there are none."""
    shown = [f"* {line}" for line in lines[:MOST_ROWS]]
    if len(lines) > MOST_ROWS:
        shown.append(f"* … and {len(lines) - MOST_ROWS} more")
    return dg.MetadataValue.md("\n".join(shown) or empty)
