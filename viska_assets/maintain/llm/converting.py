"""From a model's answer to deltas: identity and links are code's, a model's words are plain text with citations."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from viska_assets.guardrail.codes import Code, predicate_of
from viska_assets.maintain.llm.citing import Citer, Unciteable
from viska_assets.maintain.llm.schema import SECTIONS, Answer, AnswerConcept, AnswerFigure, AnswerStatement
from viska_assets.maintain.llm.wording import unfounded_words
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.model.delta import (
    ConceptDelta,
    FigureCell,
    FigureRow,
    FigureTable,
    Section,
    SectionName,
    Statement,
)
from viska_assets.model.page import ConceptType
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding, Severity
from viska_assets.text.metrics import metric_of

ADDRESS = re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://|\bwww\.|\b(?:mailto|javascript|data|file):|\]\(|<[a-z/!]|!\[")
_PLACE = re.compile(r"\{(\d{1,2})\}")
_FIGURE = re.compile(r"(?=.*\d)[A-Za-z0-9 .,()%$€£¥+\-−]+")
_KEY_TABLES = {
    "Annual": r"Year ended",
    "Quarter": r"(?:Three months|\d{2} weeks) ended",
    "Year to date": r"(?:Six months|Nine months|\d{2} weeks) ended",
    "Balance sheet": r"At",
}
_DAY = r"\d{4}-\d{2}-\d{2}"
_SEGMENT_TABLE = re.compile(
    r"(?:Revenue|Operating income) by (?:segment|product or service|region), (annual|quarter|year to date)"
)
Made = TypeVar("Made")
_ALWAYS = {ConceptType.THESIS: SectionName.VIEW}


@dataclass(frozen=True)
class Converted:
    """What became of the answer for one concept: a delta of all that could be cited, and findings for the rest."""

    delta: ConceptDelta
    findings: tuple[Finding, ...]


def convert(answer: Answer, skeletons: Sequence[ConceptDelta], citer: Citer) -> list[Converted]:
    """The answer as one delta a skeleton.

    Args:
        answer: of the schema.
        skeletons: the concepts that were handed in, each as a delta with all that code says of it.
        citer: of the document.

    Returns:
        In the order of the skeletons. A concept that was not handed in is a finding on every one of them: whoever
        names others does not follow the instructions.
    """
    wanted = {delta.concept_id for delta in skeletons}
    strangers = sorted({part.concept for part in answer.concepts} - wanted)
    converted = []
    for skeleton in skeletons:
        parts = [part for part in answer.concepts if part.concept == skeleton.concept_id]
        writer = _Writer(skeleton, citer)
        sections = writer.sections(parts)
        about = [
            finding_of(
                skeleton,
                Code.FORM,
                f"the answer is about {stranger[:80]!r}, which was not handed in",
                hint="write about the listed concepts only",
            )
            for stranger in strangers
        ]
        delta = skeleton.model_copy(update={"sections": sections})
        converted.append(Converted(delta, (*about, *writer.findings)))
    return converted


def refuse(skeletons: Sequence[ConceptDelta], code: Code, message: str, hint: str) -> list[Converted]:
    """Deltas that hold what code says and nothing of an answer that cannot be used, with the finding that says why."""
    return [
        Converted(
            skeleton.model_copy(update={"sections": _Writer.own_sections(skeleton)}),
            (finding_of(skeleton, code, message, hint=hint),),
        )
        for skeleton in skeletons
    ]


def finding_of(delta: ConceptDelta, code: Code, message: str, *, hint: str, claim: str = "") -> Finding:
    """A hard finding about a draft that has no place in a page file."""
    return Finding(
        code=code.value,
        predicate=predicate_of(code),
        severity=Severity.HARD,
        message=message,
        path=f"{delta.concept_id}.md",
        line=1,
        column=1,
        span=Span(0, 0),
        claim=claim[:200],
        hint=hint,
    )


class _Writer:
    """Writes one concept's sections and notes what could not be written."""

    def __init__(self, skeleton: ConceptDelta, citer: Citer) -> None:
        self._skeleton = skeleton
        self._citer = citer
        self.findings: list[Finding] = []

    @staticmethod
    def own_sections(skeleton: ConceptDelta) -> tuple[Section, ...]:
        """What code itself says on the page: links, which have no support, and the section that must stand."""
        kept = {s.name: tuple(b for b in s.blocks if not _is_cited(b)) for s in skeleton.sections}
        names = [name for name in SectionName if kept.get(name) or name is _ALWAYS.get(skeleton.type)]
        return tuple(Section(name=name, blocks=kept.get(name, ())) for name in names)

    def sections(self, parts: Sequence[AnswerConcept]) -> tuple[Section, ...]:
        """The page's sections with code's own blocks first."""
        own = {section.name: section.blocks for section in self.own_sections(self._skeleton)}
        written: dict[SectionName, list[Statement | FigureTable]] = {}
        for part in parts:
            for statement in part.statements:
                for made in self._attempt(statement.section, statement.text, partial(self._statement, statement)):
                    written.setdefault(statement.section, []).append(made)
            for section, table in self._tables(part.figures):
                written.setdefault(section, []).append(table)
        names = [name for name in SectionName if name in own or name in written]
        return tuple(Section(name=n, blocks=(*own.get(n, ()), *written.get(n, ()))) for n in names)

    def _attempt(self, section: SectionName, claim: str, make: Callable[[], Made]) -> Iterator[Made]:
        """Yields what ``make`` returns, or nothing and a finding."""
        try:
            if section not in SECTIONS[self._skeleton.type]:
                raise Unciteable(
                    Code.FORM, f"a model may not write section {section.value!r} here", "use the sections listed"
                )
            yield make()
        except Unciteable as fault:
            found = finding_of(self._skeleton, fault.code, fault.message, hint=fault.hint, claim=claim)
            self.findings.append(found)

    def _statement(self, statement: AnswerStatement) -> Statement:
        if not statement.citations:
            raise Unciteable(Code.NO_CITATION, "a statement without a citation", "cite it or leave it out")
        cited = [self._citer.cite(citation) for citation in statement.citations]
        text = self._plain(statement.text)
        if any(int(at) >= len(cited) for at in _PLACE.findall(text)):
            raise Unciteable(
                Code.DANGLING_CITATION, "a mark of the text has no citation", "number marks from {0} as the citations"
            )
        said = [words for place in cited for words in place.says]
        unfounded = unfounded_words(text, [*said, *self._citer.names])
        if unfounded:
            raise Unciteable(
                Code.LABEL_CONFLICT,
                f"the cited place does not say {', '.join(map(repr, unfounded[:5]))}",
                "use the words of the cited row, column or quote, or give the quote itself between “ and ”",
            )
        return Statement(text=_escape_marked(text), supports=tuple(place.citation for place in cited))

    def _plain(self, text: str) -> str:
        """The text with spaces for the marker, refused where it holds an address, a link or markup."""
        plain = self._citer.unmarked(text)
        if ADDRESS.search(plain):
            raise Unciteable(
                Code.FORM, "the text holds an address, a link or markup", "write plain words; no source needs a link"
            )
        return plain

    def _tables(self, figures: Sequence[AnswerFigure]) -> Iterator[tuple[SectionName, FigureTable]]:
        """The figures as tables, in the order in which they were given; a cell given twice differently stands twice."""
        cells: dict[tuple[SectionName, str], list[tuple[str, str, FigureCell]]] = {}
        for figure in figures:
            for made in self._attempt(figure.section, _claim_of(figure), partial(self._cell, figure)):
                cells.setdefault((figure.section, figure.table), []).append(made)
        for (section, corner), given in cells.items():
            columns = sorted({column for _, column, _ in given}, key=lambda c: c.split()[-1], reverse=True)
            yield section, FigureTable(corner=corner, columns=tuple(columns), rows=tuple(_rows(given)))

    def _cell(self, figure: AnswerFigure) -> tuple[str, str, FigureCell]:
        self._check_table(figure)
        cited = self._citer.cite(figure.citation)
        support = cited.citation
        text, label = self._plain(figure.figure), self._plain(figure.label)
        metric = metric_of(label)
        if metric and cited.metrics and metric not in cited.metrics:
            raise Unciteable(
                Code.LABEL_CONFLICT, f"the cited row is no {label[:60]!r}", "cite the row that the label names"
            )
        if not _FIGURE.fullmatch(text):
            raise Unciteable(Code.MALFORMED_NUMBER, f"{text[:60]!r} is no printed figure", "print the figure alone")
        return escape_words(label), figure.column, FigureCell(text=text.strip(), support=support)

    def _check_table(self, figure: AnswerFigure) -> None:
        if figure.section is SectionName.KEY_FIGURES:
            words = _KEY_TABLES.get(figure.table)
        else:
            segment = _SEGMENT_TABLE.fullmatch(figure.table)
            words = _KEY_TABLES.get(segment[1].capitalize()) if segment else None
        if words is None or not re.fullmatch(f"{words} {_DAY}", figure.column):
            raise Unciteable(
                Code.FORM,
                f"table {figure.table!r} with column {figure.column!r} is none that a page may have",
                'use the tables and period columns of the instructions, such as "Annual" and "Year ended 2024-09-28"',
            )


def escape_words(text: str) -> str:
    """A model's words as markdown text: nothing in them is markup, a link or a name to be filled in."""
    return escape_markdown(text.replace("{", "(").replace("}", ")"))


def _escape_marked(text: str) -> str:
    """The same, with ``{0}`` made the mark of the first support."""
    parts = _PLACE.split(text)
    plain = [f"{{{part}}}" if at % 2 else part.replace("{", "(").replace("}", ")") for at, part in enumerate(parts)]
    return _PLACE.sub(r"[@\1]", escape_markdown("".join(plain)))


def _rows(given: Sequence[tuple[str, str, FigureCell]]) -> list[FigureRow]:
    rows: list[tuple[str, dict[str, FigureCell]]] = []
    for label, column, cell in given:
        place = next((cells for name, cells in rows if name == label and cells.get(column, cell) == cell), None)
        if place is None:
            rows.append((label, {column: cell}))
        else:
            place[column] = cell
    return [FigureRow(label=label, cells=cells) for label, cells in rows]


def _claim_of(figure: AnswerFigure) -> str:
    return f"{figure.table} | {figure.label} | {figure.column}: {figure.figure}"


def _is_cited(block: Statement | FigureTable) -> bool:
    return isinstance(block, FigureTable) or bool(block.supports)


def skeletons_of(deltas: Sequence[ConceptDelta]) -> tuple[list[ConceptDelta], list[ConceptDelta]]:
    """The deltas that stay as code wrote them, and those whose cited content the model writes."""
    of_model = [delta for delta in deltas if delta.type in SECTIONS]
    return [delta for delta in deltas if delta.type not in SECTIONS], of_model
