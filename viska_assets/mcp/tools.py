"""The tools for asking: search, answer, trace, open, check, status. Each is a thin face of the function layer.

A tool loads what it calls when it is called, so that a client that connects waits for the protocol alone.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import Field

from viska_assets.mcp.rendering import (
    answer_out,
    answer_text,
    check_out,
    hit_out,
    open_out,
    search_out,
    search_text,
    source_out,
    traced_out,
)
from viska_assets.mcp.replies import (
    BUDGET,
    AnswerOut,
    CheckOut,
    OpenOut,
    SearchOut,
    StatusOut,
    TraceOut,
    cursor_of,
    fitting,
    offset_of,
    result,
    size_of,
)
from viska_assets.mcp.table import Reading, ToolEntry
from viska_assets.query.access import Wanted
from viska_assets.query.library import Reader
from viska_assets.query.status import status
from viska_assets.query.weights import CAP

if TYPE_CHECKING:
    from viska_assets.query.results import Found
    from viska_assets.store.scope import SearchScope

Issuer = Annotated[str, Field(description="Only about this company: a name, ticker or id such as issuers/apple.")]
AsOf = Annotated[str, Field(description="Only what was known by this day, YYYY-MM-DD.")]
Cursor = Annotated[str, Field(description="next_cursor of the reply before, with the same arguments.")]
Detail = Annotated[
    Literal["concise", "full"], Field(description="concise: snippets; full: whole passages, fewer a reply.")
]
Namespaces = Annotated[list[str] | None, Field(description="Only these vaults; all public ones if left out.")]
Reason = Annotated[str, Field(description="Why a private vault is opened; it is logged.")]
Question = Annotated[str, Field(description="In plain words.")]
Sources = Annotated[
    list[Literal["vault", "repository", "web"]] | None,
    Field(description="Where to look; only the vaults if left out."),
]


def _concept(reader: Reader, issuer: str) -> str | None:
    if not issuer:
        return None
    from viska_assets.query.names import NameTable
    from viska_assets.store.aliases import aliases

    found = NameTable(aliases(reader.connection)).resolve(issuer)
    if found is None:
        raise ToolError(f"No company is known as {issuer[:60]!r}. Next: open viska://index, or leave the filter out.")
    return found


def _day(as_of: str) -> date | None:
    if not as_of:
        return None
    try:
        return date.fromisoformat(as_of)
    except ValueError as error:
        raise ToolError(f"{as_of[:40]!r} is no day. Next: write it as YYYY-MM-DD.") from error


def wanted_of(namespaces: list[str] | None, reason: str, query: str) -> Wanted:
    """What a call asks to see."""
    return Wanted(None if namespaces is None else tuple(namespaces), reason, query)


def _search(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_search(
        question: Question,
        limit: Annotated[int, Field(ge=1, le=CAP, description="Hits a reply; more by the cursor.")] = 10,
        namespaces: Namespaces = None,
        reason: Reason = "",
        issuer: Issuer = "",
        as_of: AsOf = "",
        form: Annotated[str, Field(description="Only documents of this form, such as 10-K.")] = "",
        sources: Sources = None,
        detail: Detail = "concise",
        cursor: Cursor = "",
    ) -> Annotated[CallToolResult, SearchOut]:
        """Find passages of the source documents by words and meaning, each with its place, date and sender.

        For exact numbers, quotes and places. It does not answer: for that use viska_answer. Open a hit's place.uri
        with viska_open to read around it.
        """
        from viska_assets.store.scope import SearchScope

        day = _day(as_of)
        key = f"{question}|{namespaces}|{issuer}|{as_of}|{form}|{detail}|{sources}"
        start = offset_of(cursor, key)
        with reading(wanted_of(namespaces, reason, question)) as reader:
            known_at = datetime.combine(day, time.max, UTC) if day else None
            scope = SearchScope(entity=_concept(reader, issuer), known_at=known_at, form=form or None)
            found, contradictions = _searched(reader, question, scope, sources)
        terms = list(found.explanation.decomposition.terms)
        wanted = [hit_out(one, terms, full=detail == "full") for one in found.hits[start : start + limit]]
        # The text repeats at most 400 characters of a hit.
        shown = fitting(wanted, lambda hit: len(hit.model_dump_json()) + 400, 2_000)
        end = start + len(shown)
        rest = len(found.hits) - end
        out = search_out(found, shown, rest, cursor_of(key, end) if rest > 0 and shown else None, contradictions)
        return result(search_text(out, start + 1), out)

    return viska_search


def _searched(
    reader: Reader, question: str, scope: "SearchScope", sources: Sequence[str] | None
) -> "tuple[Found, tuple[str, ...]]":
    """The hits of the sources that were named, and what contradicts among them where there are several."""
    from viska_assets.query.results import FoundIn

    if not sources or set(sources) == {FoundIn.VAULT.value}:
        from viska_assets.query.search import search

        return search(reader, question, scope=scope, limit=CAP, pool=CAP), ()
    from viska_assets.hermes.research import research

    found = research(reader, question, sources=[FoundIn(name) for name in sources], scope=scope, limit=CAP)
    return found.as_found, tuple(conflict.explanation for conflict in found.compared.contradictions)


def _answer(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_answer(
        question: Question,
        tier: Annotated[
            Literal["auto", "synthesis", "retrieval", "mixed"],
            Field(description="auto lets the router choose; the others override it."),
        ] = "auto",
        namespaces: Namespaces = None,
        reason: Reason = "",
        issuer: Issuer = "",
        as_of: AsOf = "",
        sources: Sources = None,
        detail: Detail = "concise",
    ) -> Annotated[CallToolResult, AnswerOut]:
        """Answer a question from the maintained pages or the source passages, every claim cited to its span.

        Views, theses and summaries come from pages; exact numbers and quotes from passages; the reply says which and
        why. It says nothing that its sources do not bear out, and rather abstains. Of repositories and the web it
        quotes lines.
        """
        from viska_assets.hermes.answering import answer_from_sources
        from viska_assets.query.results import FoundIn, Tier
        from viska_assets.query.wording import Asking

        asked = [FoundIn(name) for name in sources or ("vault",)]
        with reading(wanted_of(namespaces, reason, question)) as reader:
            asking = Asking(question, _concept(reader, issuer), _day(as_of))
            reply = answer_from_sources(reader, asking, sources=asked, tier=None if tier == "auto" else Tier(tier))
        text = answer_text(reply)[: BUDGET // 2]
        full = detail == "full" or reply.route.tier is Tier.MIXED
        cited = [source_out(source, full=full) for source in reply.sources]
        bare = answer_out(reply, [], 0)
        shown = fitting(cited, lambda source: len(source.model_dump_json()), size_of(text, bare))
        out = answer_out(reply, shown, len(cited) - len(shown))
        return result(text, out)

    return viska_answer


def _trace(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_trace_provenance(
        page: Annotated[str, Field(description="A page, issuers/apple, or a footnote, issuers/apple#c62afc7cee.")],
        cursor: Cursor = "",
    ) -> Annotated[CallToolResult, TraceOut]:
        """Follow the footnotes of a page to the passages and the bytes of the delivered files that they rest on."""
        from viska_assets.query.trace import trace

        concept, _, footnote = page.removeprefix("viska://concept/").removesuffix(".md").partition("#")
        start = offset_of(cursor, page)
        with reading() as reader:
            found = trace(reader, concept, [footnote.lstrip("^")] if footnote else ())
        wanted = [traced_out(traced) for traced in found[start:]]
        shown = fitting(wanted, lambda traced: len(traced.model_dump_json()) + 120, 500)
        end = start + len(shown)
        more = len(found) - end
        out = TraceOut(page=concept, citations=shown, more=more, next_cursor=cursor_of(page, end) if more else None)
        lines = [f"{t.id}: {t.quoted[:60]!r} in {t.document}, bytes {t.byte_span or t.bytes_note}" for t in shown]
        lines += [f"{more} more; continue with cursor={out.next_cursor!r}."] if more else []
        return result("\n".join(lines)[: BUDGET // 3] or "The page cites no passage.", out)

    return viska_trace_provenance


def _open(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_open(
        reference: Annotated[
            str,
            Field(description="A page (issuers/apple), a footnote (issuers/apple#c1), or a uri."),
        ],
        offset: Annotated[int | None, Field(ge=0, description="First character, or next_offset.")] = None,
        limit: Annotated[int, Field(ge=200, le=6_000, description="Characters a reply.")] = 3_000,
        namespaces: Namespaces = None,
        reason: Reason = "",
    ) -> Annotated[CallToolResult, OpenOut]:
        """Read a page, or the exact passage behind a citation in its document or file, a window at a time."""
        from viska_assets.hermes.opening import open_anything

        with reading(wanted_of(namespaces, reason, reference)) as reader:
            out = open_out(open_anything(reader, reference, offset=offset, limit=limit))
        text = out.text
        if out.highlight:
            start, end = out.highlight
            text = f"{text[:start]}⟦{text[start:end]}⟧{text[end:]}"
        rest = f"\n… continue with offset={out.next_offset}" if out.next_offset is not None else ""
        return result(f"{out.title} ({out.detail})\n{text}{rest}", out)

    return viska_open


def _check(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_source_check(
        claim: Annotated[str, Field(description="One claim: Apple's revenue in fiscal 2024 was $391,035 million.")],
        issuer: Issuer = "",
        as_of: AsOf = "",
    ) -> Annotated[CallToolResult, CheckOut]:
        """Check a claim against the source passages: supported, contradicted or unsupported, with the spans.

        It does not say who is right where sources differ.
        """
        from viska_assets.query.source_check import source_check
        from viska_assets.query.wording import Asking

        with reading() as reader:
            checked = source_check(reader, Asking(claim[:2_000], _concept(reader, issuer), _day(as_of)))
        out = check_out(checked)
        spans = [f"{s.marker} {s.place.title}, {s.locator}: {s.quoted[:120]!r} ({s.place.uri})" for s in out.sources]
        return result("\n".join([f"{out.standing}{f': {out.reason}' if out.reason else ''}", *spans]), out)

    return viska_source_check


def _status(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_status() -> Annotated[CallToolResult, StatusOut]:
        """What can be asked here: visible namespaces, how much there is, how new it is, which tier answers."""
        with reading() as reader:
            found = status(reader)
        out = StatusOut(
            namespaces=list(found.namespaces),
            pages=found.pages,
            documents=found.documents,
            chunks=found.chunks,
            embedded=found.embedded,
            newest=found.newest.isoformat() if found.newest else "nothing yet",
            engine=found.engine,
            synthesis=found.synthesis,
            commit=found.commit,
        )
        return result(", ".join(f"{name}: {value}" for name, value in out.model_dump().items()), out)

    return viska_status


TOOLS: tuple[ToolEntry, ...] = (
    ToolEntry("viska_search", "Search passages", _search, asks_web=True),
    ToolEntry("viska_answer", "Answer with sources", _answer, asks_web=True),
    ToolEntry("viska_open", "Open a page or passage", _open),
    ToolEntry("viska_trace_provenance", "Trace citations to bytes", _trace),
    ToolEntry("viska_source_check", "Check a claim", _check),
    ToolEntry("viska_status", "What can be asked", _status),
)
