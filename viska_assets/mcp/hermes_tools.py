"""The tools over several sources: patterns, coverage and contradictions; thin faces of ``hermes``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult
from pydantic import Field

from viska_assets.mcp.rendering import place_of
from viska_assets.mcp.replies import Out, Place, cursor_of, fitting, offset_of, result
from viska_assets.mcp.table import Reading, ToolEntry
from viska_assets.mcp.tools import Cursor, Namespaces, Reason, wanted_of

if TYPE_CHECKING:
    from viska_assets.hermes.contradictions import Conflict
    from viska_assets.hermes.facts import Fact
    from viska_assets.query.results import Hit


class MatchOut(Out):
    """A place in which a pattern stands."""

    id: str
    found_in: str
    place: Place
    line: int | None = None
    commit: str = ""
    text: str
    date: str
    contributor: str


class MatchesOut(Out):
    """Matches in their fixed order; ``missing`` names the sources that did not answer."""

    matches: list[MatchOut]
    total: int
    capped: bool
    missing: list[str]
    next_cursor: str | None = None


class ExistingOut(Out):
    """Something that there is on a topic."""

    place: Place
    date: str
    contributor: str
    confidence: float
    passages: int


class CoverageOut(Out):
    """An audit; ``gaps`` says what is absent and who would fill it."""

    topic: str
    rating: str
    documents: int
    existing: list[ExistingOut]
    gaps: list[dict[str, str]]
    namespaces: list[str]


class SideOut(Out):
    """One side of a contradiction."""

    id: str
    printed: str
    statement: str
    place: Place
    date: str
    contributor: str


class ConflictOut(Out):
    """Two sides and how they differ; their order is that of their ids and says nothing."""

    id: str
    difference: str
    explanation: str
    sides: list[SideOut]


class ConflictsOut(Out):
    """All that was compared."""

    conflicts: list[ConflictOut]
    facts: int
    contradictions: int
    next_cursor: str | None = None


def _match(hit: "Hit") -> MatchOut:
    return MatchOut(
        id=hit.id,
        found_in=hit.found_in.value,
        place=place_of(hit.where),
        line=hit.where.line,
        commit=hit.where.commit,
        text=hit.text[:400],
        date=str(hit.date),
        contributor=hit.contributor,
    )


def _find_pattern(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_find_pattern(
        pattern: Annotated[str, Field(description="A text, found in any case; or a POSIX regular expression.")],
        regex: bool = False,
        limit: Annotated[int, Field(ge=1, le=50)] = 20,
        namespaces: Namespaces = None,
        reason: Reason = "",
        cursor: Cursor = "",
    ) -> Annotated[CallToolResult, MatchesOut]:
        """Find every place in which a text or regular expression literally stands, in vaults and git repositories."""
        from viska_assets.hermes.patterns import find_pattern

        key = f"pattern|{pattern}|{regex}|{namespaces}"
        start = offset_of(cursor, key)
        with reading(wanted_of(namespaces, reason, pattern)) as reader:
            found = find_pattern(reader, pattern, regex=regex)
        wanted = [_match(hit) for hit in found.hits[start : start + limit]]
        shown = fitting(wanted, lambda match: len(match.model_dump_json()) + 250, 500)
        end = start + len(shown)
        more = end < len(found.hits)
        out = MatchesOut(
            matches=shown,
            total=len(found.hits),
            capped=found.capped,
            missing=[f"{gone.source}: {gone.reason}"[:300] for gone in found.missing],
            next_cursor=cursor_of(key, end) if more else None,
        )
        lines = [f"{m.place.title}{f':{m.line}' if m.line else ''}: {m.text[:120]} ({m.place.uri})" for m in shown]
        lines += [f"Missing: {gone}" for gone in out.missing]
        lines += [f"{out.total} in all; continue with cursor={out.next_cursor!r}."] if more else []
        return result("\n".join(lines) or "It stands nowhere.", out)

    return viska_find_pattern


def _audit(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_audit_coverage(
        topic: Annotated[str, Field(description="A company, metric or subject, in a few words.")],
        namespaces: Namespaces = None,
        reason: Reason = "",
    ) -> Annotated[CallToolResult, CoverageOut]:
        """Say what there is on a topic and what is absent, rated sparse, partial, substantial or comprehensive."""
        from viska_assets.hermes.coverage import audit_coverage

        with reading(wanted_of(namespaces, reason, topic)) as reader:
            found = audit_coverage(reader, topic)
        existing = [
            ExistingOut(
                place=place_of(one.where),
                date=str(one.date),
                contributor=one.contributor,
                confidence=one.confidence.value,
                passages=one.passages,
            )
            for one in found.existing
        ]
        out = CoverageOut(
            topic=found.topic[:1_000],
            rating=found.rating.word,
            documents=found.documents,
            existing=fitting(existing, lambda one: len(one.model_dump_json()) + 150, 3_000),
            gaps=[{"what": gap.what[:300], "owner": gap.owner} for gap in found.gaps[:20]],
            namespaces=list(found.namespaces),
        )
        lines = [f"{out.rating}: {out.documents} documents."]
        lines += [f"There is: {e.place.title}, {e.date[:10]} ({e.place.uri})" for e in out.existing]
        lines += [f"Absent: {gap['what']}. {gap['owner']}." for gap in out.gaps]
        return result("\n".join(lines), out)

    return viska_audit_coverage


def _contradictions(reading: Reading) -> Callable[..., CallToolResult]:
    def viska_find_contradictions(
        topic: Annotated[str, Field(description="What to search for; may be empty with statements.")] = "",
        statements: Annotated[list[str] | None, Field(description="Facts to compare with what is found.")] = None,
        namespaces: Namespaces = None,
        reason: Reason = "",
        cursor: Cursor = "",
    ) -> Annotated[CallToolResult, ConflictsOut]:
        """Show figures that speak against each other, both sides with their sources. It never says who is right."""
        from viska_assets.hermes.disagreeing import contradictions

        key = f"contradictions|{topic}|{statements}|{namespaces}"
        start = offset_of(cursor, key)
        with reading(wanted_of(namespaces, reason, topic)) as reader:
            found = contradictions(reader, topic, statements or ())
        wanted = [_conflict(conflict) for conflict in (*found.contradictions, *found.explained)]
        shown = fitting(wanted[start:], lambda conflict: len(conflict.model_dump_json()) + 350, 500)
        end = start + len(shown)
        out = ConflictsOut(
            conflicts=shown,
            facts=found.facts,
            contradictions=len(found.contradictions),
            next_cursor=cursor_of(key, end) if end < len(wanted) else None,
        )
        lines = [f"{out.contradictions} contradictions among {out.facts} facts."]
        lines += [f"{c.difference} {c.id}: {c.explanation[:300]}" for c in shown]
        lines += [f"Continue with cursor={out.next_cursor!r}."] if out.next_cursor else []
        return result("\n".join(lines), out)

    return viska_find_contradictions


def _conflict(conflict: "Conflict") -> ConflictOut:
    return ConflictOut(
        id=conflict.id,
        difference=conflict.difference.value,
        explanation=conflict.explanation[:400],
        sides=[_side(conflict.first), _side(conflict.second)],
    )


def _side(fact: "Fact") -> SideOut:
    return SideOut(
        id=fact.id,
        printed=fact.printed[:80],
        statement=fact.statement[:300],
        place=place_of(fact.where),
        date=str(fact.date),
        contributor=fact.contributor,
    )


HERMES_TOOLS: tuple[ToolEntry, ...] = (
    ToolEntry("viska_find_pattern", "Find a pattern", _find_pattern),
    ToolEntry("viska_audit_coverage", "Audit coverage", _audit),
    ToolEntry("viska_find_contradictions", "Find contradictions", _contradictions),
)
