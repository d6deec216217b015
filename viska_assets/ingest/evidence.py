"""Evidence of a document: each number of its chunks as a typed record, read once at ingest (GUARDRAIL §2.1–2.5)."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from viska_assets.ingest.calendars import Calendar
from viska_assets.ingest.context import caption_blocks
from viska_assets.ingest.delimited import delimited_evidence
from viska_assets.ingest.prose_evidence import ProseContext, prose_evidence
from viska_assets.ingest.scale_notes import ScaleNotes
from viska_assets.ingest.table_evidence import TableContext, TableEvidence
from viska_assets.ingest.xbrl_evidence import with_tags
from viska_assets.model.document import Chunk, MediaType, ParsedDocument
from viska_assets.model.evidence import Evidence
from viska_assets.text.units import currency_of


def extract_evidence(
    document: ParsedDocument, chunks: Sequence[Chunk], *, use_tags: bool = True
) -> tuple[Evidence, ...]:
    """All numbers of a document, bound to the chunks that hold them, in reading order.

    With ``use_tags`` an inline-XBRL value wins over the printed reading of the same digits; without it only what is
    printed counts.
    """
    found: Iterable[Evidence] = _printed(document)
    if use_tags and document.facts:
        found = with_tags(found, document)
    return tuple(_bound(found, chunks, _ocr_confidence(document)))


def _printed(document: ParsedDocument) -> Iterator[Evidence]:
    calendar = Calendar.of(document.cover, _headers(document))
    currency = main_currency(document)
    notes = ScaleNotes(document)
    entity = document.cover.issuer or None
    for index, block in enumerate(document.blocks):
        text = block.span.of(document.text)
        if block.table is None:
            context = ProseContext(document.cover.locale, currency, calendar, notes.prose(index), entity)
            yield from prose_evidence(text, block.span.start, context)
            continue
        if document.media_type is MediaType.CSV:
            yield from delimited_evidence(block.table, document.cover.locale, entity)
            continue
        captions = [held.span.of(document.text) for held in reversed(caption_blocks(document, index))]
        context_of_table = TableContext(
            captions=tuple(captions),
            notes=notes.table(index),
            currency=currency,
            locale=document.cover.locale,
            calendar=calendar,
            entity=entity,
        )
        yield from TableEvidence(block.table, context_of_table).evidence()


def _headers(document: ParsedDocument) -> Iterator[str]:
    """Texts that print the issuer's period ends: table headers, and running text that names the year's end."""
    for block in document.blocks:
        if block.table is not None:
            for cell in block.table.cells:
                if cell.row < block.table.header_rows:
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


def _bound(found: Iterable[Evidence], chunks: Sequence[Chunk], confidence: dict[int, Decimal]) -> Iterator[Evidence]:
    starts = [chunk.span.start for chunk in chunks]
    for evidence in found:
        index = bisect_right(starts, evidence.span.start) - 1
        if index < 0 or not chunks[index].span.covers(evidence.span):
            continue
        page = chunks[index].page
        sure = confidence.get(page) if page is not None else None
        yield replace(evidence, chunk_id=chunks[index].chunk_id, confidence=sure)


def _ocr_confidence(document: ParsedDocument) -> dict[int, Decimal]:
    prefix = "ocr_confidence_page_"
    return {
        int(key.removeprefix(prefix)): Decimal(value)
        for key, value in document.metadata.items()
        if key.startswith(prefix) and value != "None"
    }
