"""Rules on what pages point at: broken links, broken citations, and pages that nothing points at."""

from collections.abc import Iterator

from viska_assets.lint.bundle import Bundle
from viska_assets.lint.findings import LintFinding
from viska_assets.lint.summary import PageSummary
from viska_assets.model.page import Frontmatter, SourceEntry
from viska_assets.model.verdict import Severity


def broken_links(bundle: Bundle) -> Iterator[LintFinding]:
    """Links in a page's body that lead to no file of the bundle."""
    for summary in bundle.summaries.values():
        for link in summary.links:
            if not bundle.exists(link.path):
                message = f"the link {link.written} leads nowhere"
                hint = "correct the target, or write the page"
                yield LintFinding(
                    summary.path, link.line, link.column, "broken_link", "BROKEN_LINK", message, Severity.WARNING, hint
                )


def broken_citations(bundle: Bundle) -> Iterator[LintFinding]:
    """Marks without a source, and sources whose page, chunk or operands do not exist or have changed."""
    for summary, head in bundle.heads.values():
        ids = {source.id for source in head.sources}
        for mark in summary.marks:
            if mark.source_id not in ids:
                message = f"[^{mark.source_id}] names no entry of sources"
                yield _broken(summary, mark.line, mark.column, "DANGLING_CITATION", message)
        for link in summary.cited:
            # Google's sample bundle writes source paths from the root without a leading slash
            if not bundle.exists(link.path) and not bundle.exists(link.written):
                message = f"the cited page {link.written} does not exist"
                yield _broken(summary, link.line, 1, "SOURCE_PAGE_MISSING", message)
        yield from _broken_sources(bundle, summary, head, ids)


def _broken_sources(bundle: Bundle, summary: PageSummary, head: Frontmatter, ids: set[str]) -> Iterator[LintFinding]:
    for source, line in zip(head.sources, summary.source_lines, strict=True):
        if source.computation is not None:
            missing = sorted(set(source.computation.operands.values()) - ids)
            if missing:
                message = f"{source.id} is computed from {', '.join(missing)}, which the page does not cite"
                yield _broken(summary, line, 1, "OPERAND_MISSING", message)
        elif bundle.snapshot.evidence is not None and source.chunk:
            problem = _chunk_problem(bundle, source)
            if problem:
                yield _broken(summary, line, 1, *problem)


def _chunk_problem(bundle: Bundle, source: SourceEntry) -> tuple[str, str] | None:
    evidence = bundle.snapshot.evidence
    chunk = evidence.chunk(source.chunk) if evidence is not None and source.chunk else None
    if chunk is None:
        return "CHUNK_MISSING", f"{source.id} cites the chunk {source.chunk}, which is not stored"
    if chunk.withdrawn:
        return "SOURCE_WITHDRAWN", f"{source.id} cites a withdrawn document"
    if source.content_sha256 and source.content_sha256 != chunk.content_sha256:
        return "CHUNK_CHANGED", f"the chunk that {source.id} cites is no longer the one that was cited"
    return None


def _broken(summary: PageSummary, line: int, column: int, code: str, message: str) -> LintFinding:
    hint = "cite the source again, or take the claim out"
    return LintFinding(summary.path, line, column, "broken_citation", code, message, Severity.HARD, hint)


def orphans(bundle: Bundle) -> Iterator[LintFinding]:
    """Pages that no other page links to or cites; being listed in an index does not count."""
    for concept_id, (summary, _) in bundle.heads.items():
        if not bundle.linked_by.get(concept_id):
            message = "no other page links to this one or cites it"
            hint = "link to it from the page of its issuer, or remove it"
            yield LintFinding(summary.path, 1, 1, "orphan", "ORPHAN", message, Severity.WARNING, hint)
