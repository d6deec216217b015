"""What parity tests need: one cited chunk, questions about it, and answers that are right, wrong or invented."""

import hashlib
from datetime import date
from decimal import Decimal

from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import extract_evidence
from viska_assets.ingest.reading import read_document
from viska_assets.model.evidence import Period, Unit
from viska_assets.model.page import QuoteLocator, SourceEntry
from viska_assets.model.views import CitedChunk
from viska_assets.parity.eval_set import NumberAnswer, Question, Shape, SourcedBy, TextAnswer
from viska_assets.query.answers import Answer, AnswerClaim, answer_of
from viska_assets.query.from_passages import source_entry

TEXT = "Revenue was $5.2 million in 2024. The fleet grew by three ships. Fuel stays the greatest risk of the company."


def _chunk() -> CitedChunk:
    """The text as the real reader, chunker and evidence extraction make it."""
    document = read_document(TEXT.encode(), "northern-ferries.txt")
    (chunk,) = chunk_document(document, lambda text: len(text.split()))
    return CitedChunk(
        chunk_id=chunk.chunk_id,
        document_id=document.document_id,
        text=chunk.text,
        content_sha256=hashlib.sha256(chunk.text.encode()).hexdigest(),
        span=chunk.span,
        source_concept="sources/northern-ferries",
        currency="USD",
        evidence=tuple(extract_evidence(document, [chunk])),
    )


CHUNK = _chunk()
YEAR = Period(date(2024, 12, 31), date(2024, 1, 1))


class Chunks:
    """Evidence of the one chunk."""

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        """The chunk, or None."""
        return CHUNK if chunk_id == CHUNK.chunk_id else None


def quote(text: str) -> SourceEntry:
    return source_entry(CHUNK, QuoteLocator(quote=text), text[:80])


def revenue(
    text: str = "“Revenue was $5.2 million in 2024.”", value: str = "5200000", **changes: object
) -> AnswerClaim:
    told = {"quantum": Decimal(100000), "unit": Unit.MONEY, "currency": "USD", "period": YEAR} | changes
    return AnswerClaim(text, (quote("Revenue was $5.2 million in 2024."),), 1.0, value=Decimal(value), **told)  # type: ignore[arg-type]


def said(text: str, *quotes: str) -> AnswerClaim:
    return AnswerClaim(text, tuple(quote(each) for each in quotes or (text.strip("“”"),)), 1.0)


def right() -> Answer:
    return answer_of([revenue()])


def invented() -> Answer:
    return answer_of([revenue("Revenue was $6.9 million in 2024.", "6900000")])


def money(value: str = "5200000", **changes: object) -> NumberAnswer:
    told = {"unit": Unit.MONEY, "currency": "USD", "period_end": YEAR.end} | changes
    return NumberAnswer(value=Decimal(value), **told)  # type: ignore[arg-type]


def question(
    number: int = 1, gold: NumberAnswer | TextAnswer | None = None, who: SourcedBy = SourcedBy.ANALYST
) -> Question:
    return Question(
        id=f"q{number}",
        question="What was revenue in 2024?",
        shape=Shape.SYNTHESIS,
        gold=gold or money(),
        sourced_by=who,
        as_of=date(2025, 6, 1),
    )
