"""Measures reading: how much of a pack's numbers, labels and periods is recovered from print alone, and how fast.

Run as ``python bench/parsing.py --pack PACK``. Inline-XBRL tags serve as truth only; evidence is extracted with
``use_tags=False``. Definitions of the shares stand in ``docs`` of the JSON output.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from decimal import InvalidOperation
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from parsing_peers import measure_peers
from parsing_truth import Parsed, Tally, measure_cells, measure_coverage, measure_facts

from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import extract_evidence
from viska_assets.ingest.reading import read_document

ROOT = Path(__file__).resolve().parents[1]
MAX_ERRORS = int(os.environ.get("MAX_ERRORS", "200"))
DOCS = {
    "ixbrl_value_recovery": "facts whose printed digits have evidence with the tagged magnitude (scale applied), unit"
    " class and currency, and the sign that brackets or a minus print; all visible facts are the denominator",
    "sign_as_tagged": "recovered facts whose printed sign is also the tagged sign (presentation may negate a concept)",
    "ixbrl_recovered_with_labels": "recovered table facts whose chunk (prefix and text) holds the row label as the HTML"
    " row gives it, every column header and the text that states the scale",
    "table_cells_recovered": "numeric cells with evidence of the same digits under the row and column label of the gold"
    " table; a cell of a second header row (a year) counts where it heads the evidence of its column",
    "period_accuracy": "facts whose evidence states a period, where it equals the tag's: end exactly, start within"
    " 7 days (strict: exactly), a day as an instant or as a duration of one day",
    "text_coverage": "visible characters (no white space, no ruling lines) that stand in some chunk",
}


def count_tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def read(data: bytes, name: str) -> Parsed:
    document = read_document(data, name)
    chunks = chunk_document(document, count_tokens)
    return Parsed(document, chunks, extract_evidence(document, chunks, use_tags=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", required=True, type=Path)
    parser.add_argument("--only", default="", help="read only documents whose id contains this")
    parser.add_argument("--formats", nargs="*", help="read only documents of these formats")
    parser.add_argument("--core", action="store_true", help="read only the documents marked core")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-determinism", action="store_true")
    parser.add_argument("--digest", action="store_true", help="print only the digest of all readings")
    args = parser.parse_args()
    rows = [row for row in lines(args.pack / "manifest.jsonl") if args.only in row["doc_id"]]
    rows = [row for row in rows if not args.core or row.get("core")]
    rows = [row for row in rows if not args.formats or row["format"] in args.formats]
    if args.digest:
        print(json.dumps({"digest": digest(args.pack, rows)}))
        return
    print(json.dumps(measure(args, rows), indent=1))


def lines(path: Path) -> Iterable[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def measure(args: argparse.Namespace, rows: list[dict[str, Any]]) -> dict[str, Any]:
    facts_by, cells_by = grouped(args.pack / "ixbrl_facts.jsonl"), grouped(args.pack / "table_cells.jsonl")
    tallies: dict[str, Tally] = defaultdict(Tally)
    costs: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for row in rows:
        data = (args.pack / row["path"]).read_bytes()
        started = time.process_time()
        parsed = read(data, Path(row["path"]).name)
        spent = time.process_time() - started
        cost = costs[row["format"]]
        cost[0] += spent
        cost[1] += len(data) / 1e6
        cost[2] += 1
        measure_coverage(row, data, parsed, tallies)
        if row["doc_id"] in facts_by:
            measure_facts(row, data, parsed, facts_by[row["doc_id"]], tallies)
        if row["doc_id"] in cells_by:
            measure_cells(row["doc_id"], parsed, cells_by[row["doc_id"]], tallies)
        print(f"{row['doc_id']}: {spent:.2f} s, {len(parsed.evidence)} numbers", file=sys.stderr)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "engine_version": engine_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "n": len(rows),
        "ixbrl_value_recovery_tables": tallies["tables"].share,
        "ixbrl_value_recovery_prose": tallies["prose"].share,
        "ixbrl_recovered_with_labels": tallies["labels"].share,
        "table_cells_recovered": tallies["cells"].share,
        "text_coverage": tallies["coverage"].share,
        "period_accuracy": tallies["period"].share,
        "period_accuracy_strict": tallies["period_strict"].share,
        "period_stated": tallies["period_stated"].share,
        "sign_as_tagged": tallies["signed"].share,
        "counts": {key: [tally.hits, tally.total] for key, tally in sorted(tallies.items())},
        "cpu_s_per_mb": {key: round(spent / size, 3) for key, (spent, size, _) in sorted(costs.items()) if size},
        "cpu_s_per_document": {key: round(spent / count, 3) for key, (spent, _, count) in sorted(costs.items())},
        "peak_rss_mb": round(peak / 1e6, 1),
        "determinism": None if args.no_determinism else check_determinism(args),
        "peers": {} if args.no_peers else measure_peers(args.pack, rows, facts_by, cells_by),
        "docs": DOCS,
        "errors_total": {key: len(tally.errors) for key, tally in sorted(tallies.items()) if tally.errors},
        "errors": listed_errors(tallies),
    }


def listed_errors(tallies: dict[str, Tally]) -> list[dict[str, Any]]:
    """Misses of all measures in turn, so that none crowds the others out."""
    failed = {key: tally.errors for key, tally in sorted(tallies.items()) if tally.errors and key != "signed"}
    share = MAX_ERRORS // max(1, len(failed))
    return [{"measure": key, **error} for key, errors in failed.items() for error in errors[:share]]


def grouped(path: Path) -> dict[str, list[dict[str, Any]]]:
    by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in lines(path):
        by[row["doc_id"]].append(row)
    return dict(by)


def digest(pack: Path, rows: list[dict[str, Any]]) -> str:
    total = hashlib.sha256()
    for row in rows:
        parsed = read((pack / row["path"]).read_bytes(), Path(row["path"]).name)
        total.update(repr((parsed.document, parsed.chunks, parsed.evidence)).encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def check_determinism(args: argparse.Namespace) -> dict[str, Any]:
    """Digests of two runs of the core documents with other hash seed, locale and time zone."""
    digests = []
    for seed, locale, zone in (("1", "C", "UTC"), ("4242", "de_DE.UTF-8", "Pacific/Auckland")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone}
        command = [sys.executable, __file__, "--pack", str(args.pack), "--digest", "--core"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        digests.append(json.loads(done.stdout)["digest"])
    return {"identical": len(set(digests)) == 1, "digests": digests}


def engine_version() -> str:
    total = hashlib.sha256()
    for room in ("model", "text", "ingest"):
        for path in sorted((ROOT / "viska_assets" / room).rglob("*.py")):
            total.update(path.read_bytes())
    return total.hexdigest()[:12]


if __name__ == "__main__":
    try:
        main()
    except InvalidOperation as error:
        raise SystemExit(f"a truth value is no number: {error}") from error
