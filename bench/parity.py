"""Parity over a pack: both tiers on its questions, with intervals, by shape and answer type; then the simulated gate.

    python bench/parity.py --pack PACK [--home HOME] [--repeats N] [--n QUESTIONS]

Self-contained questions are asked of the whole desk, the others within their document. Without a home the pack is
ingested, embedded and maintained into a temporary one first. The verdict is NOT_ELIGIBLE by design: a public benchmark
is no analyst. Prints one JSON object.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.maintainer import maintain, receive
from bench.packs import read_lines
from bench.parity_gate import SYSTEMS, simulate
from bench.parity_questions import desk_systems, read_pack, scoped_systems
from viska_assets.engines.catalogue import load_embedder
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.parity.eval_set import Question
from viska_assets.parity.report import score_json, summary_of
from viska_assets.parity.rounds import System
from viska_assets.parity.run import PATHS, Effort, ParityRun, run_parity
from viska_assets.parity.statistics import mean, paired_interval
from viska_assets.retrieval.embedding import embed_backlog
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.home import Home
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

SIMULATED = 200


def figures(done: ParityRun, lines: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A run's figures, also by the pack's own answer types and sets."""
    summary: dict[str, Any] = dict(summary_of(done))
    for path in PATHS:
        summary[path].pop("ecdf_ms")
        summary[path]["value_right"] = mean([float(item.grades[path].correct > 0) for item in done.answered])
        summary[path]["codes"] = sorted({code for item in done.answered for code in item.grades[path].codes})
    summary["by_answer_type"] = _by(done, lines, "answer_type")
    summary["by_set"] = _by(done, lines, "source_set")
    for key in ("criteria", "remarks", "by_source"):
        summary.pop(key)
    return summary


def _by(done: ParityRun, lines: dict[str, dict[str, Any]], key: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in sorted({lines[item.question.id][key] for item in done.answered}):
        chosen = [item for item in done.answered if lines[item.question.id][key] == name]
        scores = {path: done.score(path, chosen) for path in PATHS}
        pairs = zip(scores["synthesis"].scores, scores["baseline"].scores, strict=True)
        differences = [float(synthesis - baseline) for synthesis, baseline in pairs]
        kept = (
            "correct_mean",
            "correct_share",
            "citation_correct",
            "fabrications",
            "answered_rate",
            "p50_ms",
            "p95_ms",
        )
        found[name] = {
            "questions": len(chosen),
            **{path: {k: score_json(score)[k] for k in kept} for path, score in scores.items()},
            "difference": round(mean(differences), 4),
            "interval": [round(end, 4) for end in paired_interval(differences)],
        }
    return found


def asked(
    connection: Connection, systems: dict[str, System], questions: Sequence[Question], repeats: int, what: str
) -> ParityRun:
    print(f"asking {len(questions)} questions, {what}", file=sys.stderr)
    return run_parity(
        systems,
        questions,
        StoredEvidence(connection),
        effort=Effort(repeats, 1),
        progress=lambda done, of: print(f"round {done} of {of}", file=sys.stderr),
    )


def run(pack: Path, home: Home, repeats: int, n: int | None) -> dict[str, Any]:
    questions, lines = read_pack(pack)
    embedder = load_embedder(home.settings.embedder)
    alone = [q for q in questions if lines[q.id]["self_contained"]][:n]
    scoped = [q for q in questions if not lines[q.id]["self_contained"]][:n]
    with home.database.transaction() as connection:
        connection.execute("SET TRANSACTION READ ONLY")
        whole = asked(connection, desk_systems(connection, embedder), alone, repeats, "of the whole desk")
        within = asked(connection, scoped_systems(connection, embedder, pack), scoped, repeats, "within documents")
    result = figures(whole, lines)
    return result | {
        "scoped": figures(within, lines),
        "fabrications_of_both": sum(
            item.grades[path].fabrications for done in (whole, within) for item in done.answered for path in PATHS
        ),
        "gate_simulated": {system: simulate(system, SIMULATED) for system in SYSTEMS},
        "engine_version": answering_engine_of(home.settings),
        "n": {"self_contained": len(alone), "scoped": len(scoped), "repeats": repeats},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load_average": round(os.getloadavg()[0], 2),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="a home into which the pack was ingested, embedded and maintained")
    parser.add_argument("--repeats", type=int, default=5, help="warm rounds")
    parser.add_argument("--n", type=int, help="the first so many questions of each kind")
    given = parser.parse_args(arguments)
    if given.home:
        print(json.dumps(run(given.pack, Home(Settings(home=given.home)), given.repeats, given.n), indent=1))
        return
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        receive(home, [given.pack / entry["path"] for entry in read_lines(given.pack / "manifest.jsonl")])
        maintain(home)
        embedder = load_embedder(home.settings.embedder)
        embed_backlog(home.database, embedder, progress=lambda done: print(f"{done} embedded", file=sys.stderr))
        result = run(given.pack, home, given.repeats, given.n)
        home.close()
        EmbeddedServer(Path(scratch)).stop()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
