"""Finds where each text node of a parsed HTML page stands in the decoded source, in one forward pass.

The HTML parser keeps no character offsets. Text nodes come in document order, so the runs between tags of the
source are walked beside them; a node that cannot be matched (rare repairs by the parser) is left unplaced.
"""

import html
import re
from collections import deque
from collections.abc import Iterator

_RUN = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(.*?)\]\]>|<[!?/a-zA-Z][^>]*>|((?:[^<]|<(?![!?/a-zA-Z]))[^<]*(?:<(?![!?/a-zA-Z])[^<]*)*)",
    re.DOTALL,
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?)|\r\n")
_LOOK_AHEAD = 512


def text_runs(source: str) -> Iterator[tuple[str, int]]:
    """The stretches of text between tags that are not white space, each with its offset."""
    for match in _RUN.finditer(source):
        group = match.lastindex
        if group is not None and not match.group(group).isspace():
            yield match.group(group), match.start(group)


class SourceCursor:
    """A forward-only reader of the text runs of an HTML source."""

    def __init__(self, source: str) -> None:
        self._runs = text_runs(source)
        self._ahead: deque[tuple[str, int]] = deque()

    def locate(self, text: str) -> list[tuple[int, int]]:
        """The map ``(offset in text, offset in source)`` of the next node that reads ``text``; empty if lost."""
        for index in range(_LOOK_AHEAD):
            if index >= len(self._ahead):
                more = next(self._runs, None)
                if more is None:
                    return []
                self._ahead.append(more)
            run, start = self._ahead[index]
            offsets = _matched(run, text)
            if offsets is not None:
                for _ in range(index + 1):
                    self._ahead.popleft()
                return [(at, start + within) for at, within in offsets]
        return []


def _matched(run: str, text: str) -> list[tuple[int, int]] | None:
    if run == text:
        return [(0, 0)]
    if len(run) <= len(text) or ("&" not in run and "\r" not in run):
        return None
    parts: list[str] = []
    offsets = [(0, 0)]
    length = position = 0
    for match in _ENTITY.finditer(run):
        parts.append(run[position : match.start()])
        length += match.start() - position
        decoded = "\n" if match.group() == "\r\n" else html.unescape(match.group())
        parts.append(decoded)
        offsets.append((length, match.start()))
        length += len(decoded)
        offsets.append((length, match.end()))
        position = match.end()
    parts.append(run[position:])
    if "".join(parts) != text:
        return None
    unique = dict(offsets)
    return [(at, within) for at, within in unique.items() if at < len(text)]
