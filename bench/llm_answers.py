"""Answers that a perfect model would give, made from the extractive drafter's own reading of the shown document."""

import re
from collections.abc import Iterator
from typing import Any

from viska_assets.maintain.extractive.drafter import ExtractiveDrafter
from viska_assets.maintain.llm.converting import skeletons_of
from viska_assets.maintain.llm.schema import MOST_FIGURES, MOST_STATEMENTS, SECTIONS
from viska_assets.model.delta import Citation, ConceptDelta, FigureTable, Section, Statement, Support
from viska_assets.model.page import CellLocator, QuoteLocator, RowLocator
from viska_assets.store.chunks import cited_chunks
from viska_assets.store.database import Database

_CHUNK = re.compile(r"^chunk (\S+) \(", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)")
_MARK = re.compile(r"\[@(\d+)\]")


def shown_chunks(request: dict[str, Any]) -> list[str]:
    """The ids of the chunks in a request's document."""
    return _CHUNK.findall(request["messages"][1]["content"])


def honest_answer(database: Database, request: dict[str, Any]) -> dict[str, Any]:
    """What the document of a request says, as the schema has it; only chunks that are shown are cited."""
    shown = set(shown_chunks(request))
    with database.transaction() as connection:
        known = cited_chunks(connection, sorted(shown))
        document = next(iter(known.values())).document_id
        deltas = ExtractiveDrafter().draft(connection, document)
    return {"concepts": [_concept(delta, shown) for delta in skeletons_of(deltas)[1]]}


def shown_text(database: Database, request: dict[str, Any]) -> tuple[str, str]:
    """A chunk that is shown and a sentence that stands in it once; empty where there is none."""
    with database.transaction() as connection:
        known = cited_chunks(connection, shown_chunks(request))
    for chunk_id, chunk in known.items():
        for line in chunk.text.splitlines():
            quote = line.strip()[:120].strip()
            if len(quote) >= 30 and chunk.text.count(quote) == 1:
                return chunk_id, quote
    return "", ""


def _concept(delta: ConceptDelta, shown: set[str]) -> dict[str, Any]:
    sections = [section for section in delta.sections if section.name in SECTIONS[delta.type]]
    statements = [made for section in sections for made in _statements(section, shown)]
    figures = [made for section in sections for made in _figures(section, shown)]
    return {
        "concept": delta.concept_id,
        "statements": statements[:MOST_STATEMENTS],
        "figures": figures[:MOST_FIGURES],
    }


def _statements(section: Section, shown: set[str]) -> Iterator[dict[str, Any]]:
    for block in section.blocks:
        if isinstance(block, Statement) and block.supports:
            citations = [_citation(support, shown) for support in block.supports]
            if all(citations):
                text = _MARK.sub(r"{\1}", _ESCAPED.sub(r"\1", block.text))
                yield {"section": section.name.value, "text": text, "citations": citations}


def _figures(section: Section, shown: set[str]) -> Iterator[dict[str, Any]]:
    for table in section.blocks:
        if isinstance(table, FigureTable):
            for row in table.rows:
                for column, cell in row.cells.items():
                    citation = _citation(cell.support, shown)
                    if citation:
                        yield {
                            "section": section.name.value,
                            "table": table.corner,
                            "label": _ESCAPED.sub(r"\1", row.label),
                            "column": column,
                            "figure": _ESCAPED.sub(r"\1", cell.text),
                            "citation": citation,
                        }


def _citation(support: Support, shown: set[str]) -> dict[str, Any] | None:
    """The place in the answer's form; None for a computation, a spreadsheet address or a chunk that is not shown."""
    if not isinstance(support, Citation) or support.chunk not in shown:
        return None
    empty = {"chunk": support.chunk, "quote": None, "row": None, "column": None}
    match support.locator:
        case QuoteLocator(quote=quote):
            return empty | {"quote": quote}
        case CellLocator(row=row, column=column):
            return empty | {"row": row, "column": column}
        case RowLocator(row=row):
            return empty | {"row": row}
        case _:
            return None
