"""Where a document states its scales outside of tables: notes before a table, its section, the document itself."""

import re
from dataclasses import dataclass, field

from viska_assets.ingest.scales import ScaleStatement, find_statement
from viska_assets.model.document import BlockKind, ParsedDocument
from viska_assets.model.evidence import ScaleSource

_NEAR = 3
_FOR_ALL = re.compile(
    r"unless\s+(?:otherwise|noted)|\btabular\b|\ball\s+(?:dollar\s+)?(?:amounts|figures|tables)|\bthroughout\b",
    re.IGNORECASE,
)


_AMOUNT = re.compile(
    r"[$€£]\s?(?P<whole>\d{1,3}(?:,\d{3})*|\d+)(?P<cents>\.\d\d\b)?(?:\.\d+)?(?P<scale>\s?(?:million|billion|thousand|trillion|[mbk]n?\b))?"
    r"(?![\d,]*\d)(?!\s*(?:per|a)\s+share)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class ScaleNotes:
    """Scale statements of a document by block."""

    document: ParsedDocument
    _stated: dict[int, ScaleStatement] = field(init=False)
    _whole: ScaleStatement | None = field(init=False)
    _prose: ScaleStatement | None = field(init=False)
    _tables: int = field(init=False)

    def __post_init__(self) -> None:
        self._stated = {}
        self._whole = None
        self._prose = None
        self._tables = sum(block.table is not None for block in self.document.blocks)
        standalone: ScaleStatement | None = None
        for index, block in enumerate(self.document.blocks):
            if block.table is not None:
                continue
            text = block.span.of(self.document.text)
            statement = find_statement(text, loose=len(text) <= 90)
            if statement is None:
                continue
            self._stated[index] = statement
            if len(text) <= 160 and statement.scale is not None and not statement.counted:
                standalone = standalone or statement
            if _FOR_ALL.search(text):
                self._whole = self._whole or statement
                if re.search(r"unless\s+otherwise|\ball\b", text, re.IGNORECASE):
                    self._prose = self._prose or statement

        if self._prose is None and standalone is not None and prints_bare_amounts(self.document):
            self._prose = standalone

    def table(self, index: int) -> tuple[tuple[ScaleSource, ScaleStatement], ...]:
        """Statements for the table at a block, nearest first: note, section, document."""
        found: list[tuple[ScaleSource, ScaleStatement]] = []
        distance = 0
        for distance, back in enumerate(range(index - 1, max(-1, index - 40), -1), start=1):
            block = self.document.blocks[back]
            statement = self._stated.get(back)
            if statement is not None:
                source = ScaleSource.NOTE if distance <= _NEAR else ScaleSource.SECTION
                found.append((source, statement))
                break
            if block.kind is BlockKind.HEADING and block.level <= 3:
                break
        if not found and self._stated and self._tables == 1:
            # A page cut out of a report may print the sentence that introduces its one table behind it.
            found.append((ScaleSource.NOTE, self._stated[min(self._stated, key=lambda at: (abs(at - index), at))]))
        if self._whole is not None:
            found.append((ScaleSource.DOCUMENT, self._whole))
        return tuple(found)

    def line(self, index: int) -> str:
        """The words of the nearest statement that holds for the table at a block, for its chunks' prefixes."""
        notes = self.table(index)
        return notes[0][1].text.strip(" (") if notes else ""

    def prose(self, index: int) -> tuple[ScaleSource, ScaleStatement] | None:
        """The statement that also speaks for running text, if the document makes one."""
        del index
        return (ScaleSource.DOCUMENT, self._prose) if self._prose is not None else None


def prints_bare_amounts(document: ParsedDocument) -> bool:
    """Whether the running text prints its amounts of money without scale words, as its tables do.

    A document that says "Dollars in millions" once and then writes "$17,991" has nearly no scale words in its prose.
    """
    bare = worded = 0
    for block in document.blocks:
        if block.table is not None:
            continue
        for match in _AMOUNT.finditer(block.span.of(document.text)):
            if match["scale"]:
                worded += 1
            elif not match["cents"] and len(match["whole"]) >= 2:
                bare += 1
    return bare >= 20 and bare > 3 * worded
