"""Whether the sides of the store agree: blobs and rows, chunks and statistics, registry and bundle."""

from dataclasses import dataclass, field

from viska_assets.guardrail.gate import claims_of_page
from viska_assets.maintain.folders import index_files, log_file
from viska_assets.maintain.writing import refresh_index
from viska_assets.okf.page import parse_page
from viska_assets.store.blobs import BlobError
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.home import Home
from viska_assets.store.integrity import (
    count_rows,
    damaged_chunks,
    damaged_evidence,
    damaged_texts,
    unfindable_chunks,
    unfinished_documents,
)
from viska_assets.store.registry import live_pages
from viska_assets.store.statistics import repair_statistics, statistics_drift
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.roles import unapplied


@dataclass
class Report:
    """What was compared (name to count), what one should know, what differs, and what was mended."""

    checks: dict[str, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)


def examine(home: Home, *, repair: bool) -> Report:
    """Compares all sides; with ``repair`` the derived ones (indexes, log, statistics) are made again.

    ``unresolved`` holds the problems that stand afterwards.
    """
    report = _compare(home)
    report.unresolved = list(report.problems)
    if not repair or not report.problems:
        return report
    with home.database.transaction() as connection:
        if statistics_drift(connection).problems:
            repair_statistics(connection)
            report.repaired.append("search statistics")
    index = refresh_index(home.database, home.bundle, "doctor")
    report.repaired += index.drifted
    report.unresolved = _compare(home).problems
    return report


def _compare(home: Home) -> Report:
    report = Report()
    with home.database.transaction() as connection:
        _blobs(connection, home, report)
        for name, table, damaged in (
            ("documents received and read", "raw.document", unfinished_documents),
            ("stored texts and their hashes", "retrieval.document_text", damaged_texts),
            ("chunks and their passages", "retrieval.chunk", damaged_chunks),
            ("chunks and their postings", "retrieval.chunk", unfindable_chunks),
            ("evidence and its records", "retrieval.evidence", damaged_evidence),
        ):
            report.checks[name] = count_rows(connection, table)
            report.problems += damaged(connection)
        _pages(connection, home, report)
        _claims(connection, report)
        _generated(connection, home, report)
        drift = statistics_drift(connection)
        report.checks["search statistics"] = drift.compared
        report.problems += drift.problems
        why = unapplied(connection, home.settings, home.database.url)
        if why:
            report.notices.append(f"the database does not tell writers apart: {why}")
        else:
            report.checks["roles of the writers"] = len(Writer)
    return report


def _blobs(connection: Connection, home: Home, report: Report) -> None:
    rows = connection.execute("SELECT document_id, name FROM raw.document ORDER BY document_id").fetchall()
    report.checks["raw documents and their bytes"] = len(rows)
    for document_id, name in rows:
        try:
            home.blobs.get(document_id)
        except BlobError as error:
            report.problems.append(f"{name}: {error}")


def _claims(connection: Connection, report: Report) -> None:
    """The registry's claims and citations against those that the pages make."""
    evidence = StoredEvidence(connection)
    rows = connection.execute("SELECT concept_id, claim_id FROM registry.claim WHERE live").fetchall()
    claims = {(concept, claim) for concept, claim in rows}
    citations = set(connection.execute("SELECT concept_id, source_id FROM registry.citation").fetchall())
    report.checks["claims and citations of the pages"] = len(claims) + len(citations)
    for page in live_pages(connection):
        parsed = parse_page(page.text, f"{page.concept_id}.md")
        sources = parsed.page.head.sources
        evidence.preload(entry.chunk for entry in sources if entry.chunk)
        made = {(page.concept_id, claim.claim_id) for claim in claims_of_page(parsed, evidence)}
        cited = {(page.concept_id, entry.id) for entry in sources if entry.chunk}
        if made - claims or cited - citations:
            report.problems.append(
                f"{parsed.path}: makes {len(made - claims)} claims and {len(cited - citations)} citations that the "
                "registry does not have"
            )


def _pages(connection: Connection, home: Home, report: Report) -> None:
    standing = home.bundle.files()
    pages = live_pages(connection)
    report.checks["pages in registry and bundle"] = len(pages)
    paths = {f"{page.concept_id}.md": page.text for page in pages}
    for path, text in paths.items():
        if path not in standing:
            report.problems.append(f"{path}: the registry has it, the bundle does not; ingest again or restore it")
        elif standing[path] != text:
            report.problems.append(f"{path}: edited in the bundle since Viska wrote it; `viska gate` judges the edit")
    generated = {path for path in standing if path.rsplit("/", 1)[-1] in ("index.md", "log.md")}
    for path, what in sorted(home.bundle.uncommitted().items()):
        report.problems.append(f"{path}: {what} in the working tree and not committed; `viska gate` judges the file")
    for path in sorted(standing.keys() - paths.keys() - generated):
        report.problems.append(f"{path}: stands in the bundle without being in the registry; it was not gated")


def _generated(connection: Connection, home: Home, report: Report) -> None:
    standing = home.bundle.files()
    files = index_files(connection) | log_file(connection) if standing else {}
    report.checks["generated files"] = len(files)
    for path, text in files.items():
        if standing.get(path) != text:
            report.problems.append(f"{path}: is not as the registry renders it; `viska doctor --repair` mends it")
