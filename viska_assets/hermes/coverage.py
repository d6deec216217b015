"""Coverage of a topic: what exists, what is absent, a rating by a published rule, and who would fill each gap."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.results import Confidence, Dated, Where
from viska_assets.query.wording import Asked
from viska_assets.store.index_rows import index_rows, quarantined_drafts
from viska_assets.store.matching import DocumentAbout, documents_about
from viska_assets.store.scope import UNTRUSTED

FRESH = timedelta(days=365)
SHOWN = 20


class Rating(IntEnum):
    """How well a topic is covered, in order."""

    SPARSE = 0
    PARTIAL = 1
    SUBSTANTIAL = 2
    COMPREHENSIVE = 3

    @property
    def word(self) -> str:
        """The rating in a word."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What counts for a rating: a document or a page, whose it is, and whether it became known within a year."""

    id: str
    contributor: str
    is_page: bool = False
    fresh: bool = False


def rate(evidence: Sequence[Evidence]) -> Rating:
    """The published rule. Each step asks for more of something that can only be added to, so more never rates lower.

    | rating | documents | contributors | pages | known within a year |
    | --- | --- | --- | --- | --- |
    | partial | 2 | 1 | 0 | 0 |
    | substantial | 4 | 2 | 0 | 0 |
    | comprehensive | 8 | 3 | 1 | 1 |

    Anything less is sparse. A thing counts once however often it is given.
    """
    documents = {one.id for one in evidence if not one.is_page}
    contributors = {one.contributor for one in evidence if not one.is_page}
    pages = {one.id for one in evidence if one.is_page}
    fresh = any(one.fresh for one in evidence)
    if len(documents) >= 8 and len(contributors) >= 3 and pages and fresh:
        return Rating.COMPREHENSIVE
    if len(documents) >= 4 and len(contributors) >= 2:
        return Rating.SUBSTANTIAL
    return Rating.PARTIAL if len(documents) >= 2 else Rating.SPARSE


@dataclass(frozen=True, slots=True)
class Existing:
    """Something that is there on the topic."""

    where: Where
    date: Dated
    contributor: str
    confidence: Confidence
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is absent, and which asset or writer would fill it."""

    what: str
    owner: str


@dataclass(frozen=True)
class Coverage:
    """An audit. ``existing`` holds the newest documents and all pages; ``documents`` counts all of them."""

    topic: str
    words: tuple[str, ...]
    rating: Rating
    existing: tuple[Existing, ...]
    gaps: tuple[Gap, ...]
    documents: int
    namespaces: tuple[str, ...]


def audit_coverage(reader: Reader, topic: str) -> Coverage:
    """What the reader's namespaces hold on a topic, and what they lack.

    A document counts where one of its passages holds every word of the topic, a page where its title or description
    does. No ranking and no statistic of the corpus has a part in it, so that adding evidence never lowers the rating.

    Raises:
        QueryError: for a topic without a word.
    """
    asked = Asked(topic[:1_000].replace("\0", " "))
    words = tuple(sorted(asked.terms or set(asked.all_terms)))
    if not words:
        raise QueryError("the topic has no word to look for", "name a company, a metric or a subject")
    documents = documents_about(reader.connection, reader.namespaces, words)
    rows = [
        row
        for row in index_rows(reader.connection)
        if _is_about(words, f"{row.concept_id} {row.title} {row.description}")
    ]
    pages = [row for row in rows if not row.withheld and not row.concept_id.startswith("sources/")]
    newest = reader.now - FRESH
    evidence = [Evidence(d.document_id, d.asserter.lower(), fresh=d.known_at >= newest) for d in documents]
    evidence += [Evidence(p.concept_id, "", is_page=True, fresh=p.known_at >= newest) for p in pages]
    existing = [
        Existing(
            Where(f"viska://concept/{page.concept_id}", "default", page.title),
            Dated(page.known_at),
            "the maintainer",
            Confidence(1.0, "a page that passed the gate"),
        )
        for page in pages
    ]
    existing += [_existing(reader, document) for document in documents[:SHOWN]]
    for document in documents:
        reader.show(document.namespace, f"chunk:{document.first_chunk}")
    withheld = [row.concept_id for row in rows if row.withheld]
    waiting = quarantined_drafts(reader.connection, [row.concept_id for row in rows])
    gaps = _gaps(reader, documents, bool(pages), withheld, waiting, newest)
    return Coverage(topic, words, rate(evidence), tuple(existing), tuple(gaps), len(documents), reader.namespaces)


def _is_about(words: Sequence[str], text: str) -> bool:
    lowered = text.lower()
    return all(word in lowered for word in words)


def _existing(reader: Reader, document: DocumentAbout) -> Existing:
    untrusted = document.authentication in UNTRUSTED
    return Existing(
        Where(
            f"viska://chunk/{document.first_chunk}",
            document.namespace,
            document.title,
            document_id=document.document_id,
        ),
        Dated(document.known_at),
        document.asserter or "unknown sender",
        Confidence(
            reader.ranking.unauthenticated if untrusted else 1.0,
            "every word of the topic stands there; the sender's standing counts",
        ),
        document.chunks,
    )


def _gaps(
    reader: Reader,
    documents: Sequence[DocumentAbout],
    paged: bool,
    withheld: Sequence[str],
    waiting: dict[str, int],
    newest: datetime,
) -> list[Gap]:
    contributors = {document.asserter.lower() for document in documents}
    held = {document.namespace for document in documents}
    gaps = []
    if not documents:
        gaps.append(Gap("no document holds every word of the topic", "ingest_documents: deliver one, or add a feed"))
    elif len(contributors) < 3:
        gaps.append(Gap(f"only {len(contributors)} independent contributors", "feeds: subscribe to another sender"))
    if documents and max(document.known_at for document in documents) < newest:
        gaps.append(Gap("nothing became known within a year", "feeds: look for newer documents"))
    if not paged:
        gaps.append(Gap("no maintained page is about it", "concept_drafts: the maintainer drafts it from documents"))
    gaps += [Gap(f"the page {concept} is withheld by lint", "lint_report: mend what it names") for concept in withheld]
    gaps += [
        Gap(f"{count} drafts about {concept} wait in quarantine", "quarantine_queue: an analyst decides")
        for concept, count in waiting.items()
    ]
    empty = [name for name in reader.namespaces if name not in held and name not in reader.private]
    if empty:
        gaps.append(Gap(f"nothing in {', '.join(empty)}", "vault_notes: write a note in the vault's folder"))
    return gaps
