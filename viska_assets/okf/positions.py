"""Lines and columns of a file: from a character offset to the place a person looks for."""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineTable:
    """The start offset of every line of a text; lines end at LF, CRLF or CR as markdown has it."""

    starts: tuple[int, ...]
    length: int

    @classmethod
    def of(cls, text: str) -> "LineTable":
        """Index the lines of ``text``."""
        starts = [0]
        find = text.find
        if "\r" not in text:
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
        else:
            for at, character in enumerate(text):
                if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
                    starts.append(at + 1)
        return cls(tuple(starts), len(text))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        row = bisect_right(self.starts, offset) - 1
        return row + 1, offset - self.starts[row] + 1

    def line_start(self, row: int) -> int:
        """The offset of the first character of line ``row``, counted from 0; past the end it is the length."""
        return self.starts[row] if row < len(self.starts) else self.length
