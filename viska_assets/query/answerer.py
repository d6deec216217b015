"""The seam for whoever writes an answer: from opened pages or found chunks to claims, which the gate then judges."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from viska_assets.model.views import CitedChunk
from viska_assets.okf.page import ParsedPage
from viska_assets.query.answers import AnswerClaim
from viska_assets.query.wording import Asking


@dataclass(frozen=True)
class Material:
    """What a tier found for a question: pages with their cited claims, or chunks with their evidence, best first."""

    pages: tuple[ParsedPage, ...] = ()
    chunks: tuple[CitedChunk, ...] = ()


Answerer = Callable[[Asking, Material], Sequence[AnswerClaim]]
"""Writes claims, best first, each with the entries that it cites. It may be anything, an LLM among others: what it
says is shown only where P1 and P2 hold."""
