"""Measures lint: CPU seconds of structure, of P2 and of all rules over a generated bundle, and how they grow.

Run as ``python bench/lint.py --pages N``. Each page has five links and two cited sources with stored evidence.
``structure`` parses every page (OKF rules C1 and C2), reads every index and the log (C3), and applies P1, P3 and P4. P3
compares the figures that P2 has grounded, so it is measured as what it adds to P2, page by page. ``p2`` is what P2
takes on parsed pages. ``all_rules`` is a whole ``lint_bundle`` with the gate. ``incremental`` is the next night
with ten changed pages: the state read from its rows, the lint, and the changed rows made, beside the database.
``peers`` holds the floor of parsing alone and public linters over the same files.
"""

import argparse
import gc
import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lint_peers import parse_only, public_linters

from viska_assets.graph.build import build_graph
from viska_assets.guardrail.gate import RULES_VERSION, claims_of_page, judge_page
from viska_assets.lint.bundle import BundleSnapshot, LintState
from viska_assets.lint.remembering import recall, to_remember
from viska_assets.lint.run import lint_bundle
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.evidence import Evidence, Period, ScaleSource, Scenario, Unit
from viska_assets.model.page import CellLocator, ConceptType, Frontmatter, Generated, Page, SourceEntry
from viska_assets.model.span import Span
from viska_assets.model.verdict import Predicate
from viska_assets.model.views import CitedChunk
from viska_assets.okf.conformance import check_bundle
from viska_assets.okf.index import read_index, render_indexes
from viska_assets.okf.log import LogEntry, LogKind, read_log, render_log
from viska_assets.okf.page import ParsedPage, parse_page, render_page
from viska_assets.store.lint_rows import PageState

MOMENT = datetime(2026, 1, 5, tzinfo=UTC)
AS_OF = datetime(2026, 3, 1, tzinfo=UTC)
FORM = frozenset({Predicate.P1, Predicate.P4})
FIGURES = frozenset({Predicate.P2})
CONTRADICTION = frozenset({Predicate.P2, Predicate.P3})
YEARS = (2025, 2024)


@dataclass
class World:
    """Chunks and claims in memory, as the store would answer."""

    chunks: dict[str, CitedChunk] = field(default_factory=dict)
    concepts: set[str] = field(default_factory=set)
    by_id: dict[str, Claim] = field(default_factory=dict)
    by_key: dict[ClaimKey, list[Claim]] = field(default_factory=dict)
    by_subject: dict[ClaimKey, list[Claim]] = field(default_factory=dict)

    def accept(self, claim: Claim) -> None:
        """Add a claim."""
        self.by_id[claim.claim_id] = claim
        self.by_key.setdefault(claim.key, []).append(claim)
        self.by_subject.setdefault(replace(claim.key, asserter=""), []).append(claim)

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        """A chunk by id."""
        return self.chunks.get(chunk_id)

    def has_page(self, concept_id: str) -> bool:
        """Whether a page exists."""
        return concept_id in self.concepts

    def claims(self, key: ClaimKey) -> list[Claim]:
        """The claims of a key."""
        return self.by_key.get(key, [])

    def claim(self, claim_id: str) -> Claim | None:
        """A claim by id."""
        return self.by_id.get(claim_id)

    def disagreeing(self, key: ClaimKey) -> list[Claim]:
        """Claims of other asserters."""
        same = self.by_subject.get(replace(key, asserter=""), [])
        return [claim for claim in same if claim.key.asserter != key.asserter]


def make_bundle(count: int) -> tuple[dict[str, str], World, list[Page]]:
    world = World()
    pages = [make_page(number, count, world) for number in range(count)]
    world.concepts = {page.concept_id for page in pages}
    files = {page.path: render_page(page) for page in pages} | render_indexes(pages)
    files["log.md"] = render_log([LogEntry(MOMENT.date(), LogKind.INGEST, f"document {n}") for n in range(20)])
    for page in pages:
        for claim in claims_of_page(parse_page(files[page.path], page.path), world):
            world.accept(claim)
    return files, world, pages


def make_page(number: int, count: int, world: World) -> Page:
    """An issuer page with a table of two cited figures, two cited sentences and five links."""
    name = f"Company {number:05d}"
    printed = [f"{(number * 37 + year * 13) % 89 + 10},{(number * 91 + year) % 900 + 100}" for year in YEARS]
    sources = []
    for year, figure in zip(YEARS, printed, strict=True):
        chunk = make_chunk(number, year, figure)
        world.chunks[chunk.chunk_id] = chunk
        sources.append(
            SourceEntry(
                id=f"c{chunk.content_sha256[:9]}",
                resource=f"/issuers/company-{(number + 1) % count:05d}.md",
                title=f"{name} 10-K, fiscal {year}",
                chunk=chunk.chunk_id,
                locator=CellLocator(row="Total net sales", column=f"Fiscal {year}"),
                excerpt=figure,
                content_sha256=chunk.content_sha256,
            )
        )
    first, second = (f"[^{source.id}]" for source in sources)
    links = "\n".join(f"* [Related page {n}](/issuers/company-{(number + 7 * n) % count:05d}.md)" for n in range(1, 6))
    body = (
        f"# {name}\n\n## Key figures\n\n| Metric | Fiscal 2025 | Fiscal 2024 |\n| --- | --- | --- |\n"
        f"| Total net sales | ${printed[0]} million{first} | ${printed[1]} million{second} |\n\n"
        f"## Summary\n\nTotal net sales were ${printed[0]} million in fiscal 2025.{first} "
        f"In fiscal 2024, total net sales were ${printed[1]} million.{second}\n\n## Recent events\n\n{links}"
    )
    head = Frontmatter(
        type=ConceptType.ISSUER,
        title=name,
        description=f"{name}, a company of the generated bundle.",
        resource=f"cik:{number:010d}",
        tags=("generated",),
        identifiers={"cik": f"{number:010d}"},
        sources=tuple(sources),
        generated=Generated(by="bench/1", at=MOMENT),
        timestamp=MOMENT,
    )
    return Page(concept_id=f"issuers/company-{number:05d}", head=head, body=body)


def make_chunk(number: int, year: int, printed: str) -> CitedChunk:
    text = f"Company {number:05d} (in millions) | Fiscal {year}\nTotal net sales | {printed}"
    at = text.index(printed, text.index("\n"))
    evidence = Evidence(
        chunk_id=f"chunk-{number}-{year}",
        span=Span(at, at + len(printed)),
        printed=printed,
        value=Decimal(printed.replace(",", "")) * 1_000_000,
        quantum=Decimal(1_000_000),
        unit=Unit.MONEY,
        currency="USD",
        scale=6,
        scale_source=ScaleSource.CAPTION,
        row_path=("Total net sales",),
        column_path=(f"Fiscal {year}",),
        period=Period(date(year, 12, 31), date(year, 1, 1)),
        scenario=Scenario.ACTUAL,
    )
    return CitedChunk(
        chunk_id=evidence.chunk_id,
        document_id=f"document-{number}-{year}",
        text=text,
        content_sha256=sha256(text.encode()).hexdigest(),
        span=Span(0, len(text)),
        entity=f"issuers/company-{number:05d}",
        entity_names=(f"Company {number:05d}",),
        asserter=f"Company {number:05d}",
        fiscal_year_end=(12, 31),
        known_at=MOMENT,
        table=True,
        evidence=(evidence,),
    )


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def judge_all(pages: list[ParsedPage], world: World, predicates: frozenset[Predicate]) -> float:
    """CPU seconds of some predicates over parsed pages."""
    return cpu(lambda: [judge_page(page, world, world, predicates=predicates) for page in pages])


def add_contradiction(pages: list[ParsedPage], world: World) -> float:
    """CPU seconds that P3 adds to P2: each page is judged both ways in turn, so that the machine's drift cancels."""
    added = 0.0
    for page in pages:
        added -= cpu(lambda page=page: judge_page(page, world, world, predicates=FIGURES))
        added += cpu(lambda page=page: judge_page(page, world, world, predicates=CONTRADICTION))
    return max(0.0, added)


def parse_and_form(files: dict[str, str], world: World) -> None:
    """Everything that P2 has no part in: C1 to C3, P1 and P4."""
    for path, text in files.items():
        if path.endswith("index.md"):
            read_index(text, path)
        elif path == "log.md":
            read_log(text, path)
        else:
            judge_page(parse_page(text, path), world, world, predicates=FORM)


def measure(count: int) -> dict[str, object]:
    files, world, pages = make_bundle(count)
    gc.collect()
    gc.freeze()  # the generated bundle is the bench's own, not lint's garbage to scan
    concepts = {path: text for path, text in files.items() if not path.endswith(("index.md", "log.md"))}
    snapshot = BundleSnapshot(
        files, claims=tuple(world.by_id.values()), evidence=world, judge=lambda page: judge_page(page, world, world)
    )
    parsed = [parse_page(text, path) for path, text in concepts.items()]
    for page in parsed:
        assert page.texts
    p2 = judge_all(parsed, world, FIGURES)
    p3 = add_contradiction(parsed, world)
    start = time.process_time()
    report = lint_bundle(snapshot, AS_OF)
    all_rules = time.process_time() - start
    changed = dict(files)
    for path in list(concepts)[:10]:
        changed[path] = files[path].replace("a company of", "an enterprise of")
    stored = to_remember(report.state, LintState(), "bench")
    incremental = cpu(lambda: next_night(replace(snapshot, files=changed), stored))
    times = sorted(
        cpu(lambda path=path, text=text: judge_page(parse_page(text, path), world, world))
        for path, text in list(concepts.items())[:1000]
    )
    return {
        "structure": cpu(lambda: parse_and_form(files, world)) + p3,
        "p2": p2,
        "all_rules": all_rules,
        "conformance": cpu(lambda: check_bundle(files)),
        "graph": cpu(lambda: build_graph(pages, "bench")),
        "incremental": incremental,
        "page_ms_p95": times[int(len(times) * 0.95)] * 1000,
        "p3": p3,
        "peers": {"parse_only": parse_only(concepts.values()), "linters": public_linters(files)},
        "findings": len(report.findings),
        "errors": [finding.as_row() for finding in report.hard],
    }


def next_night(snapshot: BundleSnapshot, stored: list[PageState]) -> list[PageState]:
    """All that a night does beside the database: the state from its rows, the lint, and the rows that changed."""
    before = recall(stored, "bench")
    return to_remember(lint_bundle(snapshot, AS_OF, before=before).state, before, "bench")


def growth_exponent(count: int, seconds: float) -> float:
    """The slope of log CPU seconds over log pages, between a quarter of the bundle and all of it."""
    small = max(25, count // 4)
    files, world, _ = make_bundle(small)
    claims = tuple(world.by_id.values())
    judge = lambda page: judge_page(page, world, world)  # noqa: E731
    quarter = cpu(lambda: lint_bundle(BundleSnapshot(files, claims=claims, evidence=world, judge=judge), AS_OF))
    return math.log(seconds / quarter) / math.log(count / small)


def machine() -> dict[str, object]:
    return {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}


def commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    pages = parser.parse_args().pages
    print(f"making and linting {pages} pages", file=sys.stderr)
    found = measure(pages)
    errors = found["errors"]
    assert isinstance(errors, list)
    result = {
        "n": pages,
        "engine_version": f"{commit()} rules {RULES_VERSION}",
        "machine": machine(),
        "cpu_s": {
            key: round(float(str(found[key])), 3) for key in ("structure", "p2", "p3", "all_rules", "conformance")
        },
        "page_ms_p95": round(float(str(found["page_ms_p95"])), 3),
        "incremental_cpu_s": round(float(str(found["incremental"])), 3),
        "graph_cpu_s": round(float(str(found["graph"])), 3),
        "growth_exponent": round(growth_exponent(pages, float(str(found["all_rules"]))), 3),
        "peers": found["peers"],
        "findings": found["findings"],
        "errors": errors[:200],
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
