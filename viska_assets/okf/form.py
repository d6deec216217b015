"""The form of one page: what P4 asks of it that needs no other page. Plain issues; the gate judges them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.okf.amounts import has_amount
from viska_assets.okf.blocks import Part
from viska_assets.okf.citations import FOOT_TITLE
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.links import Reach, page_links, source_targets
from viska_assets.okf.page import ParsedPage
from viska_assets.okf.slugs import RESERVED_NAMES, is_portable_segment

REQUIRED_SECTIONS: Mapping[ConceptType, tuple[str, ...]] = {
    ConceptType.HOLDING: ("Position",),
    ConceptType.THESIS: ("View",),
    ConceptType.SOURCE: ("Document",),
}

# their titles are those of documents, word for word
_TITLED_BY_OTHERS = frozenset({ConceptType.SOURCE, ConceptType.EVENT})
# C0 and C1 controls, soft hyphen, zero width, bidi, invisible operators, tag characters, interlinear marks
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e0fff]"
)
_NUMERIC_DATE = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d/-]|\.\d)")
# what every numeric date holds, cheap to look for
_DATE_TAIL = re.compile(r"[/.-]\d{1,2}[/.-]\d\d")
_UNUSUAL = re.compile(r"[^\t\n\r -~]")


def page_issues(
    parsed: ParsedPage, required: Mapping[ConceptType, tuple[str, ...]] = REQUIRED_SECTIONS
) -> tuple[Issue, ...]:
    """All that is wrong with the form of one page, in order of place.

    Args:
        parsed: The page.
        required: The sections that a page of each type must have, by heading.
    """
    checks = _Form(parsed, required)
    return tuple(sorted([*parsed.remarks, *checks.issues()]))


def path_issues(path: str) -> tuple[Issue, ...]:
    """What is wrong with a concept page's path: traversal, reserved and unportable names."""
    segments = path.split("/")
    problems: list[tuple[str, str, Level, str]] = []
    if path.startswith("/") or "\\" in path or "\x00" in path or any(part in {"", ".", ".."} for part in segments):
        problems.append(("PATH_TRAVERSAL", "the path leaves the bundle or is not normal", Level.ERROR, ""))
    elif segments[-1] in RESERVED_NAMES:
        hint = "choose another name; index.md and log.md are rendered"
        problems.append(("RESERVED_NAME", f"{segments[-1]} cannot be a concept page", Level.ERROR, hint))
    elif not path.endswith(".md") or not all(is_portable_segment(part) for part in segments):
        hint = "use ASCII letters, digits, hyphens and the ending .md"
        problems.append(("UNPORTABLE_PATH", "other OKF tools cannot address this path", Level.WARNING, hint))
    return tuple(Issue(path, 1, 1, code, message, level, hint) for code, message, level, hint in problems)


class _Form:
    """One page under examination."""

    def __init__(self, parsed: ParsedPage, required: Mapping[ConceptType, tuple[str, ...]]) -> None:
        self._parsed = parsed
        self._required = required
        self._page = parsed.page

    def issues(self) -> Iterator[Issue]:
        yield from path_issues(self._parsed.path)
        yield from self._characters()
        yield from self._dates()
        yield from self._blocks()
        yield from self._inline_html()
        yield from self._links()
        yield from self._head()
        yield from self._foot()

    def _at(self, code: str, message: str, start: int, end: int, level: Level = Level.ERROR, hint: str = "") -> Issue:
        line, column = self._parsed.lines.place(start)
        return Issue(self._parsed.path, line, column, code, message, level, hint, start, end)

    def _on_line(self, line: int, code: str, message: str, level: Level = Level.ERROR, hint: str = "") -> Issue:
        start = self._parsed.lines.line_start(line - 1)
        return Issue(self._parsed.path, line, 1, code, message, level, hint, start, start)

    def _characters(self) -> Iterator[Issue]:
        text = self._parsed.text
        unusual = "".join(set(_UNUSUAL.findall(text)))
        for found in _HIDDEN.finditer(text) if _HIDDEN.search(unusual) else ():
            name = unicodedata.name(found[0], "control character").lower()
            message = f"hidden character U+{ord(found[0]):04X} ({name})"
            yield self._at("HIDDEN_CHARACTER", message, found.start(), found.end(), hint="delete it")
        if not unicodedata.is_normalized("NFC", text):
            for number, line in enumerate(text.split("\n")):
                if not unicodedata.is_normalized("NFC", line):
                    start = self._parsed.lines.line_start(number)
                    hint = "save the page in Unicode NFC"
                    yield self._at("NOT_NFC", "the line is not in Unicode NFC", start, start + len(line), hint=hint)

    def _dates(self) -> Iterator[Issue]:
        text, start, end = self._parsed.text, self._parsed.body_start, self._parsed.foot_start
        for found in _NUMERIC_DATE.finditer(text, start, end) if _DATE_TAIL.search(text, start, end) else ():
            first, second = int(found[1]), int(found[3])
            if 1 <= first <= 12 and 1 <= second <= 12 and first != second:
                message = f"{found[0]} can be read as two dates"
                hint = "write the month as a word, or 2026-07-06"
                yield self._at("AMBIGUOUS_DATE", message, found.start(), found.end(), hint=hint)

    def _blocks(self) -> Iterator[Issue]:
        level = 0
        seen: set[str] = set()
        for block in self._parsed.body.blocks:
            if block.part is Part.HTML:
                hint = "write markdown; the page is read by machines and people alike"
                yield self._at("RAW_HTML", "raw HTML is not allowed", block.span.start, block.span.end, hint=hint)
            elif block.part is Part.CODE and not self._may_hold(block.content):
                message = "a code block states what no citation covers"
                hint = "state it in a sentence or a table; only the formula of a Metric stands in code"
                yield self._at("CODE_BLOCK", message, block.span.start, block.span.end, hint=hint)
            elif block.part is Part.HEADING:
                seen.add(block.content.strip())
                if block.level > level + 1:
                    message = f"a level-{block.level} heading follows level {level}" if level else "no level-1 heading"
                    yield self._at("HEADING_ORDER", message, block.span.start, block.span.end)
                level = block.level
        missing = [name for name in self._required.get(self._page.head.type, ()) if name not in seen]
        for name in missing:
            hint = f"add ## {name}"
            yield self._on_line(1, "MISSING_SECTION", f"the section {name!r} is missing", hint=hint)

    def _may_hold(self, code: str) -> bool:
        return self._page.head.type is ConceptType.METRIC and not any(character.isdigit() for character in code)

    def _inline_html(self) -> Iterator[Issue]:
        for block, inline in self._parsed.texts:
            for start, end in inline.html:
                first = block.offsets.to_source(start)
                last = max(first, block.offsets.to_source(end - 1) + 1)
                yield self._at("RAW_HTML", "raw HTML is not allowed", first, last, hint="write markdown")

    def _links(self) -> Iterator[Issue]:
        for link in page_links(self._parsed):
            start, end = link.span.start, link.span.end
            if link.target.reach is Reach.OUTSIDE:
                message = f"the link {link.written} leaves the bundle"
                yield self._at("PATH_TRAVERSAL", message, start, end, hint="link to a page of the bundle")
            elif link.image and link.target.reach is Reach.EXTERNAL:
                message = f"the image {link.written} is remote"
                yield self._at("REMOTE_IMAGE", message, start, end, hint="remove it or keep the file in the bundle")
            if any(character.isdigit() for character in link.title):
                message = "the title of a link states figures, which no citation covers"
                yield self._at("LINK_TITLE_FIGURES", message, start, end, hint="remove the title")
        for label, reference in self._parsed.body.references.items():
            if any(character.isdigit() for character in str(reference.get("title", ""))):
                message = f"the link definition [{label}] states figures, which no citation covers"
                yield self._on_line(1, "LINK_TITLE_FIGURES", message, hint="remove its title")

    def _head(self) -> Iterator[Issue]:
        head = self._page.head
        if self._parsed.head.has_bom:
            yield self._on_line(1, "BYTE_ORDER_MARK", "the file begins with a byte order mark", hint="save without BOM")
        folder = FOLDER_OF_TYPE[head.type]
        if not self._parsed.path.startswith(f"{folder}/"):
            message = f"a page of type {head.type.value} belongs in {folder}/"
            yield self._on_line(self._parsed.key_line("type"), "WRONG_FOLDER", message, hint=f"move it to {folder}/")
        if not head.description:
            yield self._on_line(1, "NO_DESCRIPTION", "the page has no description for the index", Level.WARNING)
        if has_amount(head.description):
            line = self._parsed.key_line("description")
            message = "the description states an amount, which no citation covers"
            yield self._on_line(line, "HEAD_FIGURES", message, hint="state it in the body with its citation")
        if has_amount(head.title) and head.type not in _TITLED_BY_OTHERS:
            line = self._parsed.key_line("title")
            yield self._on_line(line, "HEAD_FIGURES", "the title states an amount", hint="name the page by its subject")
        counts = Counter(source.id for source in head.sources)
        for position, source in enumerate(head.sources):
            if counts[source.id] > 1:
                line = self._parsed.key_line("sources", position)
                yield self._on_line(line, "DUPLICATE_SOURCE", f"the source id {source.id!r} occurs twice")
        for position, target in source_targets(self._parsed):
            if target.reach is Reach.OUTSIDE:
                line = self._parsed.key_line("sources", position, "resource")
                yield self._on_line(line, "PATH_TRAVERSAL", "the source's resource leaves the bundle")

    def _foot(self) -> Iterator[Issue]:
        """Everything that poses as the generated foot beside it: its claims would be asked for no citation."""
        hint = "run viska lint --fix to write it from the sources"
        is_posing = False
        for block, inline in self._parsed.texts:
            is_heading = block.part is Part.HEADING and block.level == 1 and inline.text.strip() == FOOT_TITLE
            if is_heading or block.part is Part.DEFINITION:
                is_posing = True
                message = "# Citations and footnotes differ from the page's sources"
                yield self._at("FOOT_DRIFT", message, block.span.start, block.span.end, hint=hint)
        if self._page.head.sources and self._parsed.foot_start == len(self._parsed.text) and not is_posing:
            message = "the page has no generated # Citations list"
            yield self._on_line(1, "FOOT_MISSING", message, Level.WARNING, hint)
