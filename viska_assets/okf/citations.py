"""The generated foot of a page: the v0.1 ``# Citations`` list and the v0.2 footnote definitions, and finding both."""

import re
from collections.abc import Collection, Iterator, Sequence

from viska_assets.model.page import CellLocator, GridLocator, QuoteLocator, RowLocator, SourceEntry

FOOT_TITLE = "Citations"
CITATIONS_HEADING = f"# {FOOT_TITLE}"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_DEFINITION = re.compile(r" {0,3}\[\^([^\]\s]+)\]:")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_MARKUP = re.compile(r"([\\`\[\]<>&|!~^]|(?<! )[*_]|[*_](?! ))")
_LINK_LIKE = re.compile(r"(?i)\b(https?|ftp|mailto)(?=:)|\b(www)(?=\.)")
_ADDRESS = re.compile(r"[^\s()<>\\]+")
_NUMBERED = re.compile(r"\[\d+\](?:\s|$)")


def render_foot(sources: Sequence[SourceEntry]) -> str:
    """The ``# Citations`` list and the footnote definitions of these sources; empty for none."""
    if not sources:
        return ""
    number = {source.id: position for position, source in enumerate(sources, start=1)}
    named = [(source, _definition(source)) for source in sources]
    listed = "\n\n".join(f"[{number[source.id]}] {_list_entry(source, name, number)}" for source, name in named)
    definitions = "\n".join(f"[^{source.id}]: {name}" for source, name in named)
    return f"{CITATIONS_HEADING}\n\n{listed}\n\n{definitions}\n"


def _list_entry(source: SourceEntry, name: str, number: dict[str, int]) -> str:
    if source.computation is not None:
        operands = _joined([str(number.get(ref, ref)) for ref in source.computation.operands.values()])
        return f"computed from {operands}: {escape_markdown(source.computation.expression)}"
    evidence = ", ".join(part for part in (describe_locator(source), _quoted(source)) if part)
    return f"{name}: {evidence}" if evidence else name


def _definition(source: SourceEntry) -> str:
    label = escape_markdown(source.title or source.resource)
    if source.computation is not None or not _ADDRESS.fullmatch(source.resource):
        return label if source.title else escape_markdown(source.resource)
    return f"[{label}]({source.resource})"


def describe_locator(source: SourceEntry) -> str:
    """A source's locator in words of the page: ``row × column``, a row, a cell or nothing for a quote."""
    match source.locator:
        case CellLocator(row=row, column=column):
            return escape_markdown(f"{row} × {column}")
        case RowLocator(row=row):
            return escape_markdown(row)
        case GridLocator(cell=cell):
            return escape_markdown(cell)
        case _:
            return ""


def _quoted(source: SourceEntry) -> str:
    text = source.locator.quote if isinstance(source.locator, QuoteLocator) else source.excerpt
    return f'"{escape_markdown(text)}"' if text else ""


def _joined(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else ", ".join(words[:-1]) + " and " + words[-1]


def escape_markdown(text: str) -> str:
    """Text that markdown shows as it stands, on one line.

    An address is broken by an escape, because many renderers make a link of a bare one.
    """
    return _LINK_LIKE.sub(r"\g<0>\\", _MARKUP.sub(r"\\\1", " ".join(text.split())))


def lines_outside_fences(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of a body that stand outside fenced code, with their numbers from 0."""
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            continue
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
            continue
        yield number, line


def has_open_fence(lines: Sequence[str]) -> bool:
    """Whether fenced code runs to the end of the body, so that nothing after it would be read as markdown."""
    seen = {number for number, _ in lines_outside_fences([*lines, ""])}
    return len(lines) not in seen


def generated_lines(lines: Sequence[str], source_ids: Collection[str]) -> frozenset[int]:
    """Which lines of a body are generated: the ``# Citations`` section and the sources' footnote definitions.

    The section runs from its heading to the next heading. Inside it only numbered entries, blank lines and
    definitions count as generated, so that a sentence added there by hand is kept.
    """
    found: set[int] = set()
    if not any("]:" in line or line.startswith(CITATIONS_HEADING) for line in lines):
        return frozenset()
    in_section = False
    for number, line in lines_outside_fences(lines):
        if _HEADING.match(line):
            in_section = line.rstrip() == CITATIONS_HEADING
            if in_section:
                found.add(number)
            continue
        definition = _DEFINITION.match(line)
        is_definition = definition is not None and definition[1] in source_ids
        if is_definition or (in_section and (not line.strip() or _NUMBERED.match(line))):
            found.add(number)
    return frozenset(found)
