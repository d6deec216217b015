"""What a broker note adds: its house's thesis in verbatim quotes, and the reported figures it leans on, tied out.

A figure that a note gives as reported is cited to the issuer's own filing, not to the note: where the filing prints
another number, the gate says so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from viska_assets.maintain.extractive.citing import cite, cite_quote
from viska_assets.maintain.extractive.events import event_of
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.maintain.identity import normalise_name
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.model.delta import ConceptDelta, Section, SectionName, Statement
from viska_assets.model.evidence import Evidence, Period, Unit
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.okf.slugs import slugify
from viska_assets.text.metrics import normal_label
from viska_assets.text.periods import find_periods
from viska_assets.text.printing import period_label, print_figure
from viska_assets.text.sentences import split_sentences

THESIS_FRESHNESS = timedelta(weeks=8)
MOST_QUOTES = 6
_RATINGS = (
    r"(?:strong buy|buy|outperform|overweight|accumulate|add|hold|neutral|market perform|equal[- ]weight|reduce"
    r"|underperform|underweight|strong sell|sell)"
)
RATING = re.compile(rf"\b(?:rating|recommendation)\b\W{{0,3}}(?:is|of|to|at)?\W{{0,3}}({_RATINGS})\b", re.IGNORECASE)
TARGET = re.compile(r"\b(?:price target|target price)\b", re.IGNORECASE)
HORIZON = re.compile(r"\bhorizon\b", re.IGNORECASE)
RATING_CHANGE = re.compile(
    rf"\b(?:upgrad|downgrad|rais|lower|cut|mov|chang)\w*\b.{{0,80}}?"
    rf"(?:\bfrom {_RATINGS} to {_RATINGS}\b|\bto {_RATINGS} from {_RATINGS}\b)",
    re.IGNORECASE,
)
RISK_HEADING = re.compile(r"^\W*(?:key |main )?risks?\b.{0,30}$", re.IGNORECASE)
ARGUMENT_HEADING = re.compile(
    r"^\W*(?:investment (?:case|thesis)|(?:key |main )?arguments?|our view|why .{0,40}|rationale)\W*$", re.IGNORECASE
)
REPORTED_HEADING = re.compile(r"^\W*(?:reported|filed) (?:figures|numbers|results)\W*$", re.IGNORECASE)
REPORTED = re.compile(r"\b(?:reported|filed|filing|10-[kq]|annual report|quarterly report|posted)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """A sentence of the note and the part of the note that it stands in."""

    chunk: CitedChunk
    span: Span
    text: str
    part: SectionName | None


@dataclass(frozen=True)
class FiledFigure:
    """A number of the issuer's filings that a note's figure can be tied to."""

    chunk: CitedChunk
    evidence: Evidence
    title: str


def draft_note(view: DocumentView, filed: Sequence[FiledFigure]) -> list[ConceptDelta]:
    """The Event and Thesis deltas of a broker note; none where the issuer is not known."""
    if view.issuer is None:
        return []
    passages = list(_passages(view))
    sections = [
        _section(SectionName.VIEW, _view_statements(view, passages)),
        _section(SectionName.ARGUMENTS, _quotes(view, passages, SectionName.ARGUMENTS)),
        _section(SectionName.RISKS, _quotes(view, passages, SectionName.RISKS)),
        _section(SectionName.REPORTED, _tied_out(passages, filed)),
    ]
    house = view.stored.asserter.split("/")[0].strip() or "Unnamed house"
    # Anybody may print a house's name; the page belongs to the domain that the mail was signed by.
    owner = sender_domain(view.stored.asserter) or normalise_name(house)
    slug = slugify(f"{view.issuer.rsplit('/', 1)[-1]} {owner}")
    change = next((p for p in passages if RATING_CHANGE.search(p.text)), None)
    event = event_of(view, _quote(view, change), what=f"rating change by {house}") if change else event_of(view, ())
    return [
        event,
        ConceptDelta(
            concept_id=f"{FOLDER_OF_TYPE[ConceptType.THESIS]}/{slug}",
            type=ConceptType.THESIS,
            title=f"{house} on {view.issuer_name}",
            description=f"The view of {house} on {view.issuer_name}, in its own words.",
            document_id=view.stored.document_id,
            known_at=view.stored.known_at,
            about=view.issuer,
            facts={"house": house, "asserter": view.stored.asserter},
            sections=tuple(section for section in sections if section.blocks or section.name is SectionName.VIEW),
            stale_after=view.stored.known_at + THESIS_FRESHNESS,
        ),
    ]


def sender_domain(asserter: str) -> str:
    """The domain that a mail's asserter ends with: ``House / Analyst (house.example)``."""
    found = re.search(r"\(([\w.-]+)\)$", asserter)
    return found.group(1) if found else ""


def _section(name: SectionName, statements: Sequence[Statement]) -> Section:
    return Section(name=name, blocks=tuple(statements))


def _passages(view: DocumentView) -> Iterator[Passage]:
    """The sentences of the note, line by line, each under the last heading that names a part."""
    part: SectionName | None = None
    for chunk in view.chunks:
        offset = 0
        for line in chunk.text.splitlines(keepends=True):
            start, offset = offset, offset + len(line)
            if RISK_HEADING.match(line.strip()):
                part = SectionName.RISKS
                continue
            if ARGUMENT_HEADING.match(line.strip()):
                part = SectionName.ARGUMENTS
                continue
            if REPORTED_HEADING.match(line.strip()):
                part = SectionName.REPORTED
                continue
            for span in split_sentences(line):
                text = span.of(line).strip()
                if text:
                    lead = len(span.of(line)) - len(span.of(line).lstrip())
                    at = start + span.start + lead
                    yield Passage(chunk, Span(at, at + len(text)), text, part)


def _view_statements(view: DocumentView, passages: Sequence[Passage]) -> list[Statement]:
    """The rating by its word, then rating, price target and horizon as the note words them."""
    statements = [rating] if (rating := _rating(view, passages)) else []
    for wanted in (RATING, TARGET, HORIZON):
        passage = next((p for p in passages if wanted.search(p.text)), None)
        if passage:
            statements += _quote(view, passage)
    return list(dict.fromkeys(statements))


def _rating(view: DocumentView, passages: Sequence[Passage]) -> Statement | None:
    """``Rating: Buy``, which later notes of the house can contradict or revise."""
    for passage in passages:
        found = RATING.search(passage.text)
        citation = cite_quote(passage.chunk, passage.text, view.title) if found else None
        if found and citation:
            return Statement(text=f"Rating: {found.group(1).capitalize()}", supports=(citation,))
    return None


def _quotes(view: DocumentView, passages: Sequence[Passage], part: SectionName) -> list[Statement]:
    chosen = [p for p in passages if p.part is part and not REPORTED.search(p.text)]
    return [statement for passage in chosen[:MOST_QUOTES] for statement in _quote(view, passage)]


def _quote(view: DocumentView, passage: Passage) -> list[Statement]:
    citation = cite_quote(passage.chunk, passage.text, view.title)
    return [Statement(text=f"“{escape_markdown(passage.text)}”", supports=(citation,))] if citation else []


def _tied_out(passages: Sequence[Passage], filed: Sequence[FiledFigure]) -> list[Statement]:
    """Every reported figure of the note beside the cell of the filing that it must agree with."""
    statements = []
    for passage in passages:
        if passage.part is not SectionName.REPORTED and not REPORTED.search(passage.text):
            continue
        for evidence in _money_in(passage):
            match = _filed_twin(passage, filed)
            if match is None:
                continue
            citation = cite(match.chunk, match.evidence, match.title)
            label = period_label(match.evidence.period) if match.evidence.period else None
            if citation and label:
                name = escape_markdown(", ".join(match.evidence.row_path))
                text = f"{name}, {label[1][0].lower()}{label[1][1:]}: {print_figure(evidence)}[@0]"
                statements.append(Statement(text=text, supports=(citation,)))
    return statements


def _money_in(passage: Passage) -> list[Evidence]:
    inside = passage.span.shifted(passage.chunk.span.start)
    return [e for e in passage.chunk.evidence if e.unit is Unit.MONEY and inside.covers(e.span)]


def _filed_twin(passage: Passage, filed: Sequence[FiledFigure]) -> FiledFigure | None:
    """The filed number whose labels and period the sentence names; the most specific label wins."""
    year_end = next((f.chunk.fiscal_year_end for f in filed if f.chunk.fiscal_year_end), None)
    periods = {found.period for found in find_periods(passage.text, year_end) if found.period}
    words = set(normal_label(passage.text).replace(",", " ").replace(".", " ").split())
    best: tuple[int, FiledFigure] | None = None
    for figure in filed:
        labels = {word for label in _labels(figure.evidence) for word in label.lower().split()}
        if not labels <= words or not _same_period(figure.evidence, periods):
            continue
        if best is None or len(labels) > best[0]:
            best = (len(labels), figure)
    return best[1] if best else None


def _labels(evidence: Evidence) -> list[str]:
    return [normal_label(label) for label in evidence.row_path if normal_label(label)]


def _same_period(evidence: Evidence, periods: set[Period]) -> bool:
    period = evidence.period
    if period is None or period.is_instant:
        return False
    return any(abs((period.end - other.end).days) <= 10 and abs(period.days - other.days) <= 10 for other in periods)
