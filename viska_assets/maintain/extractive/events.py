"""The event that a document is: a filing, a release, a note or a news item, with what it says in figures."""

from collections.abc import Sequence

from viska_assets.maintain.extractive.citing import cite_quote
from viska_assets.maintain.extractive.view import UNAUTHENTICATED, DocumentClass, DocumentView
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.model.delta import ConceptDelta, Section, SectionName, Statement
from viska_assets.model.evidence import Unit
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.okf.slugs import slugify
from viska_assets.text.sentences import split_sentences

MOST_QUOTES = 3
_FIGURES = (Unit.MONEY, Unit.PERCENT, Unit.PER_SHARE)


def event_of(view: DocumentView, statements: Sequence[Statement], *, what: str = "") -> ConceptDelta:
    """The Event delta of a document about a known issuer: where it stands, and the given statements.

    Args:
        view: the document.
        statements: what it says, cited.
        what: how the event is called, where the document's class does not say it.
    """
    assert view.issuer is not None
    day = _day(view)
    trusted = view.stored.authentication not in UNAUTHENTICATED
    what = what if what and trusted else _what(view)
    link = Statement(text=f"[{escape_markdown(view.title)}](/{view.source_concept}.md)")
    slug = slugify(f"{day} {view.issuer.rsplit('/', 1)[-1]} {what}")
    return ConceptDelta(
        concept_id=f"{FOLDER_OF_TYPE[ConceptType.EVENT]}/{slug}",
        type=ConceptType.EVENT,
        title=f"{view.issuer_name} {what}",
        description=f"{what[0].upper()}{what[1:]} about {view.issuer_name}, {_when(view)}.",
        document_id=view.stored.document_id,
        known_at=view.stored.known_at,
        about=view.issuer,
        facts={"event_date": day, "event_kind": view.kind.value},
        sections=(Section(name=SectionName.SUMMARY, blocks=(link, *statements)),),
    )


def _day(view: DocumentView) -> str:
    """The day that names the event: of publication, or the end of the period where the document states no other."""
    cover = view.stored.cover
    if cover.published_at is not None:
        return cover.published_at.date().isoformat()
    return cover.period_end.isoformat() if cover.period_end else "undated"


def _when(view: DocumentView) -> str:
    cover = view.stored.cover
    if cover.published_at is not None:
        return f"published {cover.published_at.date().isoformat()}"
    if cover.period_end:
        return f"for the period to {cover.period_end.isoformat()}, its publication not dated"
    return "not dated"


def _what(view: DocumentView) -> str:
    """How the event is called: the form of a filing, the house of a note, or the class of the document."""
    if view.kind is DocumentClass.FILING:
        return view.stored.cover.form
    if view.stored.authentication in UNAUTHENTICATED:
        return f"unauthenticated note {view.stored.document_id[:6]}"
    if view.kind is DocumentClass.BROKER_NOTE:
        house = view.stored.asserter.split("/")[0].strip()
        return f"note by {house}" if house else "broker note"
    return view.kind.value


def draft_news(view: DocumentView) -> list[ConceptDelta]:
    """The Event delta of a news item: its first sentences that hold figures, verbatim."""
    if view.issuer is None:
        return []
    return [event_of(view, _quoted_figures(view))]


def _quoted_figures(view: DocumentView) -> list[Statement]:
    found: list[Statement] = []
    for chunk in view.chunks:
        for span in split_sentences(chunk.text):
            absolute = span.shifted(chunk.span.start)
            if not any(e.unit in _FIGURES and absolute.covers(e.span) for e in chunk.evidence):
                continue
            citation = cite_quote(chunk, span.of(chunk.text).strip(), view.title)
            if citation:
                text = f"“{escape_markdown(span.of(chunk.text))}”"
                found.append(Statement(text=text, supports=(citation,)))
            if len(found) == MOST_QUOTES:
                return found
    return found
