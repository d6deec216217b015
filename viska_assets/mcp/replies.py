"""What tools return: compact structures with a short text, and pages of them that fit a reply's budget."""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict

# 8,000 tokens for text and structure together; JSON full of ids and numbers has two characters a token at worst.
BUDGET = 15_000
SNIPPET = 300

Item = TypeVar("Item")


class Out(BaseModel):
    """A part of a reply. It is made ready when it is first used: a client that connects waits for none of them."""

    model_config = ConfigDict(defer_build=True)


class Place(Out):
    """Where something stands; ``span`` counts characters of the document's text."""

    uri: str
    title: str
    namespace: str = ""
    span: tuple[int, int] | None = None
    page: int | None = None


class SourceOut(Out):
    """A resolved citation; ``marker`` is what stands in the text."""

    marker: str
    id: str
    place: Place
    locator: str
    quoted: str
    passage: str = ""
    date: str
    contributor: str
    found_in: str
    cited_by: str = ""
    pinned: bool = True
    sender: str = ""


class HitOut(Out):
    """A hit with everything that its place in the ranking rests on."""

    id: str
    kind: str
    found_in: str
    place: Place
    text: str
    date: str
    contributor: str
    confidence: float
    calibrated: bool
    score: float
    factors: dict[str, float]
    ranks: dict[str, int]
    also_at: list[str] = []
    remarks: list[str] = []


class SearchOut(Out):
    """Hits, best first. ``next_cursor`` continues where this reply ends; none is repeated."""

    hits: list[HitOut]
    terms: list[str]
    intent: str
    namespaces: list[str]
    legs: dict[str, int]
    degraded: list[str]
    private: list[str] = []
    contradictions: list[str] = []
    more: int = 0
    next_cursor: str | None = None


class AnswerOut(Out):
    """An answer with its sources; an empty ``text`` means that nothing is said, and ``reason`` says why."""

    text: str
    reason: str
    tier: str
    rule: str
    why: str
    cues: list[str]
    confidence: float
    sources: list[SourceOut]
    pages_opened: list[str]
    related: list[str]
    remarks: list[str]
    degraded: list[str]
    more_sources: int = 0


class TracedOut(SourceOut):
    """A citation followed to its file: spans in the decoded file and in bytes, where the format has them."""

    document: str
    source_span: tuple[int, int] | None = None
    byte_span: tuple[int, int] | None = None
    file: str = ""
    bytes_note: str = ""


class TraceOut(Out):
    """The citations of a page, followed to their bytes."""

    page: str
    citations: list[TracedOut]
    more: int = 0
    next_cursor: str | None = None


class OpenOut(Out):
    """A window of what was opened; ``highlight`` counts characters of ``text``."""

    uri: str
    kind: str
    title: str
    text: str
    span: tuple[int, int]
    total: int
    highlight: tuple[int, int] | None = None
    detail: str = ""
    next_offset: int | None = None
    links: list[str] = []


class CheckOut(Out):
    """Whether the sources bear a claim out."""

    claim: str
    standing: str
    reason: str
    codes: list[str]
    sources: list[SourceOut]


class StatusOut(Out):
    """What can be asked here."""

    namespaces: list[str]
    pages: int
    documents: int
    chunks: int
    embedded: int
    newest: str
    engine: str
    synthesis: str
    commit: str


def result(text: str, structure: BaseModel) -> CallToolResult:
    """A reply whose text is short, for the model, and whose structure is whole, for code."""
    content = structure.model_dump(mode="json", exclude_defaults=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)


def size_of(text: str, structure: BaseModel) -> int:
    """How many characters a reply takes on the wire."""
    return len(text) + len(structure.model_dump_json())


def cursor_of(key: str, offset: int) -> str:
    """A cursor that continues one and the same question."""
    return base64.urlsafe_b64encode(json.dumps([_digest(key), offset]).encode()).decode().rstrip("=")


def offset_of(cursor: str | None, key: str) -> int:
    """Where a cursor continues; 0 without one.

    Raises:
        ToolError: for a cursor of another question, or none at all.
    """
    if not cursor:
        return 0
    try:
        digest, offset = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if digest == _digest(key) and isinstance(offset, int) and offset >= 0:
            return offset
    except (ValueError, binascii.Error):
        pass
    raise ToolError("The cursor continues another question. Next: repeat the call with its arguments, or without it.")


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def fitting(items: Sequence[Item], cost: Callable[[Item], int], spent: int, budget: int = BUDGET) -> list[Item]:
    """The first items that fit the budget, at least one, so that every cursor moves on."""
    kept: list[Item] = []
    for item in items:
        spent += cost(item)
        if kept and spent > budget:
            break
        kept.append(item)
    return kept


def snippet(text: str, terms: Sequence[str], length: int = SNIPPET) -> str:
    """The part of a text that holds most of the terms, cut at words."""
    if len(text) <= length:
        return text
    lowered = text.lower()
    places = [at for term in terms if (at := lowered.find(term)) >= 0]
    starts = [max(0, place - length // 4) for place in places] or [0]
    best = max(starts, key=lambda start: (sum(start <= p < start + length for p in places), -start))
    cut = text[best : best + length]
    return f"{'… ' if best else ''}{cut.strip()}{' …' if best + length < len(text) else ''}"


def as_pair(span: Any) -> tuple[int, int] | None:
    """A span as two numbers."""
    return (span.start, span.end) if span is not None else None
