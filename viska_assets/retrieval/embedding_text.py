"""The text under which a chunk is embedded: of a table its words, not its numbers."""

import re

from viska_assets.model.document import BlockKind

_YEAR = re.compile(r"(?:19|20)\d\d")
# A cell of signs and digits at most, with the currency codes and the ``pp`` and ``x`` that stand beside amounts.
_UNIT = r"(?<![^\W\d_])(?:usd|eur|gbp|jpy|chf|pp|bps|x|nm|n/a)(?![^\W\d_])"
_AMOUNT = re.compile(rf"(?:[\W\d_]|{_UNIT})*", re.IGNORECASE)


def embedding_text(prefix: str, text: str, kind: str) -> str:
    """The text to embed a chunk by.

    Numbers carry no meaning to a dense model and fill its window. A table is therefore embedded by its prefix
    (document, headings, caption), its headers and its row labels; years stay, since questions name them.

    Args:
        prefix: the chunk's contextual prefix.
        text: the chunk's own text; a table's cells stand between bars, a row a line.
        kind: the chunk's block kind.
    """
    body = words_of_table(text) or text if kind == BlockKind.TABLE.value else text
    return f"{prefix}\n{body}" if prefix else body


def words_of_table(text: str) -> str:
    """The cells of a printed table that are words or years, row by row; rows without any are left out."""
    rows = (" | ".join(_words(line)) for line in text.splitlines())
    return "\n".join(row for row in rows if row)


def _words(line: str) -> list[str]:
    cells = (cell.strip() for cell in line.split("|"))
    return [cell for cell in cells if cell and (_YEAR.fullmatch(cell) or not _AMOUNT.fullmatch(cell))]
