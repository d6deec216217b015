"""Quotes of a locator: verbatim and contiguous in the cited chunk, or fabricated, stitched or misattributed."""

import re
from collections.abc import Iterable

from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.span import Span

MIN_QUOTE, MAX_QUOTE = 15, 300
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\]|\[…\])\s*")
_SHORTEST_PIECE = 12


def check_quote(quote: str, cited: ChunkReading, others: Iterable[ChunkReading]) -> tuple[Span | None, Code | None]:
    """Where a quote stands in its cited chunk, and the code of what is wrong with it."""
    span = cited.find_quote(quote)
    if span is not None:
        fits = MIN_QUOTE <= len(quote) <= MAX_QUOTE or quote.strip() == cited.chunk.text.strip()
        return span, None if fits else Code.QUOTE_LENGTH
    if any(other.find_quote(quote) is not None for other in others if other is not cited):
        return None, Code.MISATTRIBUTED
    if _is_stitched(quote, cited):
        return None, Code.QUOTE_STITCHED
    return None, Code.QUOTE_NOT_FOUND


def _is_stitched(quote: str, cited: ChunkReading) -> bool:
    """Whether the quote consists of two or more pieces that each stand in the chunk."""
    pieces = [piece for piece in _ELLIPSIS.split(quote) if piece.strip()]
    if len(pieces) > 1:
        return all(cited.find_quote(piece) is not None for piece in pieces)
    words = quote.split()
    for cut in range(2, len(words) - 1):
        head, tail = " ".join(words[:cut]), " ".join(words[cut:])
        if min(len(head), len(tail)) < _SHORTEST_PIECE:
            continue
        if cited.find_quote(head) is not None and cited.find_quote(tail) is not None:
            return True
    return False
