"""A filing of an invented issuer in the retrieval tier, with figures that candidates can stand on or miss."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from psycopg.types.json import Jsonb

from tests.supervise.desk import Desk
from viska_assets.model.evidence import Evidence, Period, Unit
from viska_assets.model.span import Span
from viska_assets.store.chunks import text_hash, text_key
from viska_assets.store.codec import to_json

CONCEPT = "issuers/acme"
TEXT = """| Year ended December 31 | 2025 | 2024 |
| Revenue | $1,500 | $1,000 |
| Operating income | $310 | $305 |
"""
KNOWN = datetime(2026, 2, 1, tzinfo=UTC)
FIGURES = (
    ("Revenue", "2025", "1,500", 2025),
    ("Revenue", "2024", "1,000", 2024),
    ("Operating income", "2025", "310", 2025),
    ("Operating income", "2024", "305", 2024),
)


def add_filing(desk: Desk, name: str = "acme-10-k.html", entity: str = CONCEPT, flag: bool = False) -> tuple[str, str]:
    """Stores the filing and returns the ids of document and chunk; ``flag`` marks it for nous."""
    document_id = desk.document(name)
    chunk_id = f"{document_id[:20]}-0"
    desk.owner(
        """
        UPDATE raw.document SET status = 'ingested', entity = %s, entity_names = '{Acme}', source_concept = %s,
            known_at = %s, cover = '{}' WHERE document_id = %s
        """,
        (entity, f"sources/{name.partition('.')[0]}", KNOWN, document_id),
    )
    desk.owner(
        "INSERT INTO retrieval.document_text (document_id, text, text_sha256, offsets) VALUES (%s, %s, %s, '[]')",
        (document_id, TEXT, text_hash(TEXT)),
    )
    chunk: dict[str, Any] = {
        "chunk_id": chunk_id,
        "document_id": document_id,
        "namespace": "default",
        "ordinal": 0,
        "kind": "table",
        "start_char": 0,
        "end_char": len(TEXT),
        "text": TEXT,
        "prefix": "",
        "headings": [],
        "tokens": 40,
        "terms": 10,
        "text_sha256": text_hash(TEXT),
        "text_key": text_key("table", "", TEXT),
    }
    desk.owner(
        f"INSERT INTO retrieval.chunk ({', '.join(chunk)}) VALUES ({', '.join(['%s'] * len(chunk))})",
        tuple(chunk.values()),
    )
    for evidence in evidence_of(chunk_id):
        period = evidence.period
        assert period is not None
        desk.owner(
            """
            INSERT INTO retrieval.evidence (chunk_id, start_char, end_char, value, unit, period_start, period_end,
                record) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
            """,
            (
                *(chunk_id, evidence.span.start, evidence.span.end, evidence.value, evidence.unit.value),
                *(period.start, period.end, Jsonb(to_json(Evidence, evidence))),
            ),
        )
    if flag:
        desk.owner("INSERT INTO raw.flagged_document (document_id, reason) VALUES (%s, 'new filing')", (document_id,))
    return document_id, chunk_id


def evidence_of(chunk_id: str) -> list[Evidence]:
    """The figures of the filing's table."""
    found = []
    for row, column, printed, year in FIGURES:
        line = TEXT.index(f"| {row} |")
        start = TEXT.index(printed, line)
        found.append(
            Evidence(
                chunk_id=chunk_id,
                span=Span(start, start + len(printed)),
                printed=printed,
                value=Decimal(printed.replace(",", "")),
                quantum=Decimal(1),
                unit=Unit.MONEY,
                currency="USD",
                row_path=(row,),
                column_path=("Year ended December 31", column),
                period=Period(date(year, 12, 31), date(year, 1, 1)),
            )
        )
    return found


def cite(chunk_id: str, row: str = "Revenue", year: str = "2025") -> dict[str, Any]:
    """The citation of a cell."""
    return {
        "chunk_id": chunk_id,
        "locator": {"kind": "cell", "row": row, "column": f"Year ended December 31 / {year}"},
        "content_sha256": text_hash(TEXT),
    }
