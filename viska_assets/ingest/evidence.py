"""Evidence of a document: each number of its chunks as a typed record, read once at ingest (GUARDRAIL §2.1–2.5)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from viska_assets.ingest.calendars import Calendar
from viska_assets.ingest.context import caption_blocks
from viska_assets.ingest.delimited import delimited_evidence
from viska_assets.ingest.prose_evidence import ProseContext, prose_evidence
from viska_assets.ingest.scale_notes import ScaleNotes
from viska_assets.ingest.table_evidence import TableContext, TableEvidence
from viska_assets.ingest.xbrl_evidence import with_tags
from viska_assets.model.document import Chunk, MediaType, ParsedDocument, Table
from viska_assets.model.evidence import Evidence
from viska_assets.text.units import currency_of


def extract_evidence(
    document: ParsedDocument, chunks: Sequence[Chunk], *, use_tags: bool = True
) -> tuple[Evidence, ...]:
    """All numbers of a document, bound to the chunks that hold them, in reading order.

    With ``use_tags`` an inline-XBRL value wins over the printed reading of the same digits; without it only what is
    printed counts. See ``evidence_by_chunk`` for documents too large to hold all of it.
    """
    found = evidence_by_chunk(document, chunks, use_tags=use_tags)
    return tuple(evidence for _, held in found for evidence in held)


def evidence_by_chunk(
    document: ParsedDocument, chunks: Iterable[Chunk], *, use_tags: bool = True
) -> Iterator[tuple[Chunk, tuple[Evidence, ...]]]:
    """The chunks of a document one by one, each with its numbers; no more than a block's numbers are held at once.

    Args:
        document: the document.
        chunks: its chunks in reading order.
        use_tags: whether inline-XBRL values win over what is printed.
    """
    found = _printed(document)
    if use_tags and document.facts:
        found = with_tags(found, document)
    confidence = _ocr_confidence(document)
    waiting = next(found, None)
    for chunk, following in _with_next(chunks):
        held: list[Evidence] = []
        sure = confidence.get(chunk.page) if chunk.page is not None else None
        while waiting is not None and (following is None or waiting.span.start < following.span.start):
            if chunk.span.covers(waiting.span):
                held.append(waiting.in_chunk(chunk.chunk_id, sure))
            waiting = next(found, None)
        yield chunk, tuple(held)


def _with_next(chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Chunk | None]]:
    """Each chunk with the one behind it, the last with None."""
    ordered = iter(chunks)
    chunk = next(ordered, None)
    while chunk is not None:
        following = next(ordered, None)
        yield chunk, following
        chunk = following


def _printed(document: ParsedDocument) -> Iterator[Evidence]:
    """The numbers that are printed, block by block, in the order of their places."""
    calendar = Calendar.of(document.cover, _headers(document))
    currency = main_currency(document)
    notes = ScaleNotes(document)
    for index, block in enumerate(document.blocks):
        if block.table is None:
            context = ProseContext(
                document.cover.locale, currency, calendar, notes.prose(index), document.cover.issuer or None
            )
            found = prose_evidence(block.span.of(document.text), block.span.start, context)
        else:
            found = _in_table(document, index, block.table.unpacked(), notes, calendar, currency)
        yield from sorted(found, key=lambda evidence: (evidence.span.start, evidence.span.end))


def _in_table(
    document: ParsedDocument, index: int, table: Table, notes: ScaleNotes, calendar: Calendar, currency: str | None
) -> Iterator[Evidence]:
    locale, entity = document.cover.locale, document.cover.issuer or None
    if document.media_type is MediaType.CSV:
        return delimited_evidence(table, locale, entity)
    captions = tuple(held.span.of(document.text) for held in reversed(caption_blocks(document, index)))
    context = TableContext(
        captions=captions,
        notes=notes.table(index),
        currency=currency,
        locale=locale,
        calendar=calendar,
        entity=entity,
    )
    return TableEvidence(table, context).evidence()


def _headers(document: ParsedDocument) -> Iterator[str]:
    """Texts that print the issuer's period ends: table headers, and running text that names the year's end."""
    for block in document.blocks:
        if block.table is not None:
            for cell in block.table.cells:
                if cell.row >= block.table.header_rows:
                    break
                yield cell.text
        elif len(block.span) < 2000 and "ended" in (text := block.span.of(document.text)):
            yield text


_CURRENCY_MARK = re.compile(
    r"[$€£¥₹](?=\s?[(\d.])|\b(?:USD|EUR|GBP|JPY|CHF|DKK|SEK|NOK|CNY|RMB|INR|CAD|AUD)(?:m|mn|bn|k)?\b|[\d.]\s?(?P<crown>kr)\b",
    re.IGNORECASE,
)


def main_currency(document: ParsedDocument) -> str | None:
    """The currency that the document prints most often beside its numbers; the first of equals by code."""
    marks: Counter[str] = Counter()
    for match in _CURRENCY_MARK.finditer(document.text, 0, 400_000):
        mark = re.sub(r"(?i)(?<=[a-z]{3})(?:m|mn|bn|k)$", "", match["crown"] or match[0])
        code = currency_of(mark.upper() if len(mark) == 3 else mark, None, document.cover.locale)
        if code:
            marks[code] += 1
    return min(marks, key=lambda code: (-marks[code], code)) if marks else None


def _ocr_confidence(document: ParsedDocument) -> dict[int, Decimal]:
    prefix = "ocr_confidence_page_"
    return {
        int(key.removeprefix(prefix)): Decimal(value)
        for key, value in document.metadata.items()
        if key.startswith(prefix) and value != "None"
    }
