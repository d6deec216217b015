"""A document as the drafter sees it: its row, its chunks with evidence, and what it is about."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.maintain.identity import name_of
from viska_assets.model.document import MediaType
from viska_assets.model.evidence import Evidence
from viska_assets.model.views import CitedChunk
from viska_assets.store.documents import StoredDocument

UNAUTHENTICATED = ("none", "fail")


class DocumentClass(StrEnum):
    """What kind of document this is, which decides what is drafted from it."""

    FILING = "filing"
    PRESS_RELEASE = "press release"
    BROKER_NOTE = "broker note"
    NEWS = "news"
    HOLDINGS = "holdings"
    PRICES = "prices"
    CALCULATION = "calculation"
    OTHER = "document"


@dataclass(frozen=True)
class DocumentView:
    """One document of the retrieval tier; ``issuer`` is the concept it is about."""

    stored: StoredDocument
    chunks: tuple[CitedChunk, ...]
    kind: DocumentClass
    source_concept: str
    title: str
    issuer: str | None = None

    @property
    def issuer_name(self) -> str:
        """What stands for the issuer's name in a draft; the page prints the name as it is known when it is written."""
        return name_of(self.issuer) if self.issuer else self.stored.cover.issuer

    def evidence(self) -> Iterator[tuple[CitedChunk, Evidence]]:
        """All evidence in reading order, with its chunk."""
        for chunk in self.chunks:
            for item in chunk.evidence:
                yield chunk, item


_FILING_FORMS = ("10-K", "10-Q", "8-K", "20-F", "6-K", "40-F")


def classify(stored: StoredDocument, head: str) -> DocumentClass:
    """The class of a document, from its form, its format and the beginning of its text."""
    cover, name, opening = stored.cover, stored.name.lower(), head[:1500].lower()
    if stored.media_type in (MediaType.CSV.value, MediaType.XLSX.value):
        return _class_of_table(opening)
    if stored.media_type == MediaType.EMAIL.value or "price target" in opening or "target price" in opening:
        return DocumentClass.BROKER_NOTE
    if cover.form.upper().startswith(_FILING_FORMS):
        return DocumentClass.FILING
    if "press release" in opening or "earnings" in name or "press" in name or cover.form.lower().startswith("earn"):
        return DocumentClass.PRESS_RELEASE
    if "news" in name or "newswire" in opening:
        return DocumentClass.NEWS
    return DocumentClass.OTHER


def _class_of_table(opening: str) -> DocumentClass:
    header = opening.split("\n", 1)[0]
    if "quantity" in header and ("ticker" in header or "isin" in header):
        return DocumentClass.HOLDINGS
    if "close" in header and "date" in header:
        return DocumentClass.PRICES
    return DocumentClass.OTHER
