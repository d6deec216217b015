"""Rules on validity: stale pages, drafts that wait too long, supersession that is one-sided, dangling or circular."""

from collections import Counter
from collections.abc import Iterator, Mapping

from viska_assets.lint.bundle import Bundle
from viska_assets.lint.findings import LintFinding
from viska_assets.model.claim import Claim
from viska_assets.model.page import Frontmatter, PageStatus
from viska_assets.model.verdict import Severity


def stale_pages(bundle: Bundle) -> Iterator[LintFinding]:
    """Pages past their ``stale_after``, or past the freshness window of their type where they name none."""
    for summary, head in bundle.heads.values():
        if head.status is PageStatus.DEPRECATED:
            continue
        for issue in summary.issues:
            if issue.code == "TIMESTAMP":
                yield LintFinding(summary.path, issue.line, 1, "stale", issue.code, issue.message, hint=issue.hint)
        since = _stale_since(bundle, head)
        if since:
            key = "stale_after" if head.stale_after else "timestamp"
            hint = "confirm the page against newer sources, or mark it deprecated"
            yield LintFinding(summary.path, summary.key_line(key), 1, "stale", "STALE", since, hint=hint)


def _stale_since(bundle: Bundle, head: Frontmatter) -> str:
    if head.stale_after is not None:
        is_stale = bundle.as_of >= head.stale_after
        return f"stale since {head.stale_after.date().isoformat()}" if is_stale else ""
    window = bundle.policy.freshness.get(head.type)
    if window is not None and bundle.as_of >= head.timestamp + window:
        return f"unchanged since {head.timestamp.date().isoformat()}, longer than {window.days} days"
    return ""


def aged_quarantine(bundle: Bundle) -> Iterator[LintFinding]:
    """Drafts that have waited in quarantine longer than the desk's patience."""
    for draft in sorted(bundle.snapshot.quarantine, key=lambda draft: (draft.path, draft.since)):
        waited = bundle.as_of - draft.since
        if waited >= bundle.policy.patience:
            message = f"a draft has waited {waited.days} days ({', '.join(draft.codes) or 'no code'})"
            hint = "repair and resubmit it, or discard it with a reason"
            yield LintFinding(draft.path, 1, 1, "aged_quarantine", "AGED_QUARANTINE", message, hint=hint)


def supersession(bundle: Bundle) -> Iterator[LintFinding]:
    """Supersedes entries whose claim is unknown or does not name its successor, claimed twice, or in a circle."""
    claims = {claim.claim_id: claim for claim in bundle.snapshot.claims}
    counted = Counter(entry.claim for _, head in bundle.heads.values() for entry in head.supersedes)
    for summary, head in bundle.heads.values():
        ids = {source.id for source in head.sources}
        line = summary.key_line("supersedes")
        for entry in head.supersedes:
            for code, message in _entry_problems(entry.claim, entry.by, ids, claims, counted[entry.claim]):
                yield _finding(summary.path, line, code, message)
    named = {entry.claim for _, head in bundle.heads.values() for entry in head.supersedes}
    yield from _claim_problems(claims, named)
    yield from _cycles(claims)


def _entry_problems(
    claim_id: str, by: str, ids: set[str], claims: Mapping[str, Claim], count: int
) -> Iterator[tuple[str, str]]:
    if by not in ids:
        yield "SUPERSEDES_BY_UNKNOWN", f"the superseding source {by!r} is not one of the page's sources"
    if count > 1:
        yield "SUPERSEDED_TWICE", f"the claim {claim_id} is superseded by {count} entries"
    if not claims:
        return
    claim = claims.get(claim_id)
    if claim is None:
        yield "SUPERSEDES_UNKNOWN", f"the superseded claim {claim_id} does not exist"
    elif claim.superseded_by is None:
        yield "SUPERSEDES_ONE_SIDED", f"the claim {claim_id} does not name its successor"


def _claim_problems(claims: Mapping[str, Claim], named: set[str]) -> Iterator[LintFinding]:
    for claim in claims.values():
        if claim.superseded_by is None:
            continue
        successor = claims.get(claim.superseded_by)
        path = f"{claim.concept_id}.md"
        if successor is None:
            message = f"the successor {claim.superseded_by} of the claim {claim.claim_id} does not exist"
            yield _finding(path, 1, "SUCCESSOR_MISSING", message)
        elif claim.claim_id not in named:
            message = f"no page says that it supersedes the claim {claim.claim_id}"
            yield _finding(path, 1, "SUPERSEDES_UNDECLARED", message)
        elif claim.known_at and successor.known_at and successor.known_at <= claim.known_at:
            message = f"the successor of the claim {claim.claim_id} is not newer than it"
            yield _finding(path, 1, "SUPERSEDES_NOT_NEWER", message)


def _cycles(claims: Mapping[str, Claim]) -> Iterator[LintFinding]:
    done: set[str] = set()
    for start in sorted(claims):
        trail: list[str] = []
        here: str | None = start
        while here is not None and here in claims and here not in done and here not in trail:
            trail.append(here)
            here = claims[here].superseded_by
        if here is not None and here in trail:
            circle = trail[trail.index(here) :]
            first = min(circle)
            message = f"claims supersede each other in a circle: {' -> '.join([*circle, here])}"
            yield _finding(f"{claims[first].concept_id}.md", 1, "SUPERSEDES_CYCLE", message)
        done.update(trail)


def _finding(path: str, line: int, code: str, message: str) -> LintFinding:
    hint = "name the successor on one side and the superseded claim on the other"
    return LintFinding(path, line, 1, "supersession", code, message, Severity.HARD, hint)
