"""Pieces of cleaned text that remember where they came from and which tags stand over them.

A parser turns each text node into a ``Piece``; pieces are joined into cells, rows and blocks, and every join
shifts the offset runs and marks along, so that the document's spans are right by construction.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from viska_assets.text.clean import Removed, clean, needs_cleaning

UNKNOWN = -1
_SPACE_RUN = re.compile(r"[^\S ]\s*| \s+")
_ANY_SPACE = re.compile(r"\s+")


@dataclass(slots=True)
class Piece:
    """A text, its offset runs ``(offset, source offset)`` and its marks ``(key, start, end)``."""

    text: str = ""
    runs: list[tuple[int, int]] = field(default_factory=list)
    marks: list[tuple[int, int, int]] = field(default_factory=list)

    def stripped(self) -> "Piece":
        """The piece without white space at either end."""
        start = len(self.text) - len(self.text.lstrip())
        end = len(self.text.rstrip())
        if start == 0 and end == len(self.text):
            return self
        return self.sliced(start, max(start, end))

    def sliced(self, start: int, end: int) -> "Piece":
        """The part of the piece between two offsets; marks are cut to it and empty ones go."""
        runs: list[tuple[int, int]] = []
        for at, source in self.runs:
            if at <= start:
                runs = [(0, source + (start - at) if source != UNKNOWN else UNKNOWN)]
            elif at < end:
                runs.append((at - start, source))
        marks = [(k, max(a, start) - start, min(b, end) - start) for k, a, b in self.marks if a < end and b > start]
        return Piece(self.text[start:end], runs, marks)


def join(pieces: Iterable[Piece], separator: str = "") -> Piece:
    """One piece made of several, with ``separator`` between them."""
    texts: list[str] = []
    runs: list[tuple[int, int]] = []
    marks: list[tuple[int, int, int]] = []
    length = 0
    for index, piece in enumerate(pieces):
        if index and separator:
            texts.append(separator)
            length += len(separator)
        texts.append(piece.text)
        runs.extend((at + length, source) for at, source in piece.runs)
        marks.extend((key, start + length, end + length) for key, start, end in piece.marks)
        length += len(piece.text)
    return Piece("".join(texts), runs, marks)


class PieceReader:
    """Turns raw text nodes into pieces and remembers what was hidden in them."""

    def __init__(self) -> None:
        self.removed: list[Removed] = []

    def read(self, raw: str, source: int = UNKNOWN, *, keep_lines: bool = False) -> Piece:
        """Clean one raw text; white space is collapsed to single spaces unless ``keep_lines`` is set."""
        if not needs_cleaning(raw):
            text, runs = raw, [(0, source)]
        else:
            cleaned = clean(raw)
            self.removed.extend(cleaned.removed)
            text = cleaned.text
            runs = [(at, source + start if source != UNKNOWN else UNKNOWN) for at, start in cleaned.offsets.runs]
        piece = Piece(text, runs)
        return piece if keep_lines else _collapsed(piece)

    def read_mapped(self, raw: str, starts: Sequence[tuple[int, int]], *, keep_lines: bool = False) -> Piece:
        """Clean one raw text whose own offsets map piecewise to the source (an HTML node with entities)."""
        if len(starts) == 1:
            return self.read(raw, starts[0][1], keep_lines=keep_lines)
        ends = [start for start, _ in starts[1:]] + [len(raw)]
        piece = join(
            self.read(raw[start:end], source, keep_lines=True)
            for (start, source), end in zip(starts, ends, strict=True)
        )
        return piece if keep_lines else _collapsed(piece)


def _collapsed(piece: Piece) -> Piece:
    if _SPACE_RUN.search(piece.text) is None:
        return piece
    parts: list[Piece] = []
    position = 0
    for match in _ANY_SPACE.finditer(piece.text):
        if match.group() == " ":
            continue
        parts.append(piece.sliced(position, match.start()))
        parts.append(Piece(" ", piece.sliced(match.start(), match.start() + 1).runs))
        position = match.end()
    parts.append(piece.sliced(position, len(piece.text)))
    return join(parts)


def flowed(pieces: Sequence[Piece]) -> Piece:
    """Inline pieces joined into one line: a space at a seam stands once, none at the ends."""
    kept: list[Piece] = []
    ends_in_space = True
    for piece in pieces:
        if not piece.text:
            if piece.marks:
                kept.append(piece)
            continue
        if ends_in_space and piece.text[0] == " ":
            piece = piece.sliced(1, len(piece.text))
            if not piece.text:
                continue
        kept.append(piece)
        ends_in_space = piece.text[-1] == " "
    return join(kept).stripped()
