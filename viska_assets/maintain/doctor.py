"""Whether the sides of the store agree: blobs and rows, chunks and statistics, registry and bundle."""

from dataclasses import dataclass, field

from viska_assets.maintain.folders import index_files, log_file
from viska_assets.maintain.writing import refresh_index
from viska_assets.store.database import Connection
from viska_assets.store.home import Home
from viska_assets.store.registry import live_pages
from viska_assets.store.statistics import repair_statistics, statistics_drift


@dataclass
class Report:
    """What was compared (name to count), what differs, and what was mended."""

    checks: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)


def examine(home: Home, *, repair: bool) -> Report:
    """Compares all sides; with ``repair`` the derived ones (indexes, log, statistics) are made again."""
    report = Report()
    with home.database.transaction() as connection:
        _blobs(connection, home, report)
        _pages(connection, home, report)
        _generated(connection, home, report)
        drift = statistics_drift(connection)
        report.checks["search statistics"] = drift.compared
        report.problems += drift.problems
        if repair and drift.problems:
            repair_statistics(connection)
            report.repaired.append("search statistics")
    if repair and any("is not as the registry renders it" in problem for problem in report.problems):
        index = refresh_index(home.database, home.bundle, "doctor")
        report.repaired += index.drifted
    return report


def _blobs(connection: Connection, home: Home, report: Report) -> None:
    rows = connection.execute("SELECT document_id, name FROM raw.document ORDER BY document_id").fetchall()
    report.checks["raw documents and their blobs"] = len(rows)
    for document_id, name in rows:
        if not home.blobs.has(document_id):
            report.problems.append(f"{name}: the blob {document_id[:12]}… is missing; deliver the document again")


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
    for path in sorted(standing.keys() - paths.keys() - generated):
        report.problems.append(f"{path}: stands in the bundle without being in the registry; it was not gated")


def _generated(connection: Connection, home: Home, report: Report) -> None:
    standing = home.bundle.files()
    files = index_files(connection) | log_file(connection) if standing else {}
    report.checks["generated files"] = len(files)
    for path, text in files.items():
        if standing.get(path) != text:
            report.problems.append(f"{path}: is not as the registry renders it; `viska doctor --repair` mends it")
