"""The parity eval as assets: the labelled questions, both tiers' answers with the verdict, and the gate it opens."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.parity_picture import draw_run
from viska_assets.assets.previews import seconds_since, table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.parity.eval_set import Question
from viska_assets.parity.run import PATHS
from viska_assets.parity.running import eval_set_files, read_questions, run_and_record
from viska_assets.store.home import Home
from viska_assets.store.parity_gate import flips, synthesis_is_open, tier_in_force
from viska_assets.store.parity_rows import stored_runs

GROUP = "parity"
Metadata = dict[str, Any]


def build_parity_assets(version: str) -> list[dg.AssetsDefinition]:
    """The three assets; ``parity_eval`` carries the engine version, so that a run is known to be of that engine."""

    @dg.asset(group_name=GROUP, kinds={"json"}, owners=OWNERS, code_version="2")
    def eval_set(home: HomeResource) -> dg.MaterializeResult:
        """Labelled questions with gold answers, each saying who sourced it. Only analysts' questions count."""
        files = eval_set_files(home.open().settings)
        return dg.MaterializeResult(metadata=_questions(read_questions(files), files))

    @dg.asset(
        deps=[eval_set, "bundle_index", "chunk_embeddings"],
        group_name=GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version=version,
    )
    def parity_eval(home: HomeResource) -> dg.MaterializeResult:
        """Both tiers on the same questions: correctness, citations, fabrication, latency, and the verdict."""
        started, state = perf_counter(), home.open()
        recorded = run_and_record(state, home.embedder())
        metadata = _run(recorded.stored.summary, recorded.stored.answers, state.settings.bundle_path)
        return dg.MaterializeResult(
            metadata=metadata
            | {
                "run": recorded.stored.run_id,
                "engine": recorded.stored.engine,
                "json": dg.MetadataValue.path(str(recorded.export)),
                "seconds": seconds_since(started),
            }
        )

    @dg.asset(deps=[parity_eval], group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
    def parity_gate(home: HomeResource) -> dg.MaterializeResult:
        """Who answers questions of synthesis shape: the flag, the verdict it rests on, and every flip of it."""
        return dg.MaterializeResult(metadata=gate_metadata(home.open()))

    return [eval_set, parity_eval, parity_gate]


def _questions(questions: Sequence[Question], files: Sequence[Path]) -> Metadata:
    rows = [
        {"id": q.id, "question": q.question, "shape": q.shape.value, "sourced_by": q.sourced_by.value}
        for q in questions
    ]
    shapes = [row["shape"] for row in rows]
    sources = [row["sourced_by"] for row in rows]
    return {
        "dagster/row_count": len(rows),
        **{f"from_{who}": sources.count(who) for who in sorted(set(sources))},
        **{f"of_{shape}": shapes.count(shape) for shape in sorted(set(shapes))},
        "files": ", ".join(file.name for file in files),
        "questions": table(rows, ("id", "question", "shape", "sourced_by")),
    }


def _run(summary: Mapping[str, Any], answers: Sequence[Mapping[str, Any]], bundle: Path) -> Metadata:
    criteria = [{key: str(value) for key, value in criterion.items()} for criterion in summary["criteria"]]
    picture = f"![Both grades of each question, and latencies]({draw_run(summary, answers)})"
    return {
        "dagster/row_count": len(answers),
        "verdict": summary["verdict"],
        "why": summary["why"],
        "synthesis_correct_mean": summary["synthesis"]["correct_mean"],
        "baseline_correct_mean": summary["baseline"]["correct_mean"],
        "fabrications": summary["synthesis"]["fabrications"],
        "latency_ratio_p95": summary["latency_ratio_p95"],
        "bundle_commit": summary["bundle_commit"],
        "criteria": table(criteria, ("name", "standing", "figure")),
        "by_shape": table(_by_rows(summary["by_shape"]), BY_COLUMNS),
        "by_answer_type": table(_by_rows(summary["by_answer_type"]), BY_COLUMNS),
        "remarks": "; ".join(summary["remarks"]) or "none",
        "picture": dg.MetadataValue.md(picture),
        "answers": dg.MetadataValue.md(answers_markdown(answers, bundle)),
    }


BY_COLUMNS = ("what", "questions", "synthesis", "baseline", "difference", "interval")


def _by_rows(parts: Mapping[str, Mapping[str, Any]]) -> list[dict[str, object]]:
    return [
        {
            "what": name,
            "questions": part["questions"],
            "synthesis": f"{part['synthesis']['correct_mean']:.2f}",
            "baseline": f"{part['baseline']['correct_mean']:.2f}",
            "difference": f"{part['difference']:+.2f}",
            "interval": f"[{part['interval'][0]:+.2f}, {part['interval'][1]:+.2f}]",
        }
        for name, part in parts.items()
    ]


def answers_markdown(answers: Sequence[Mapping[str, Any]], bundle: Path, most: int = 100) -> str:
    """A table of questions with both answers, their grades, and citations that link to the source's page."""
    lines = ["| question | shape | synthesis | baseline |", "|---|---|---|---|"]
    for answer in answers[:most]:
        cells = [f"{answer['id']}: {answer['question']}", answer["shape"], *(_cell(answer[p], bundle) for p in PATHS)]
        lines.append(f"| {' | '.join(cells)} |")
    if len(answers) > most:
        lines.append(f"\n… and {len(answers) - most} more in the JSON export")
    return "\n".join(lines)


def _cell(said: Mapping[str, Any], bundle: Path) -> str:
    text = said["answer"] or f"no answer: {said['crash'] or said['reason']}"
    plain = " / ".join(line for line in text.splitlines() if line)[:300]
    safe = "".join(f"\\{char}" if char in "\\|[]<>*_`!" else char for char in plain)
    links = " ".join(f"[{c['id']}]({(bundle / c['resource'].lstrip('/')).as_uri()})" for c in said["citations"])
    why = f" ({said['why']})" if said["why"] and said["answer"] else ""
    return f"**{said['correct']}** {safe} {links}{why.replace('|', '/')}"


def gate_metadata(home: Home) -> Metadata:
    """What an operator wants to know of the gate: open or not and why, the flag, and the trail of flips and runs."""
    engine = answering_engine_of(home.settings)
    with home.database.transaction() as connection:
        gate, tier = synthesis_is_open(connection, engine), tier_in_force(connection)
        trail, runs = flips(connection), stored_runs(connection)
    flip_rows = [
        {
            "when": flip.recorded_at.isoformat(timespec="seconds"),
            "action": flip.action.value,
            "by": flip.actor,
            "why": flip.reason,
            "run": str(flip.run_id or ""),
            "engine": flip.engine,
        }
        for flip in trail
    ]
    run_rows = [
        {
            "run": run.run_id,
            "when": run.recorded_at.isoformat(timespec="seconds"),
            "engine": run.engine,
            "verdict": run.verdict,
            "why": str(run.summary.get("why", "")),
            "bundle": run.bundle_commit[:10],
        }
        for run in runs
    ]
    return {
        "open": gate.open,
        "reason": gate.reason,
        "engine": engine,
        "flag": tier.value,
        "flips": table(flip_rows, ("when", "action", "by", "why", "run", "engine")),
        "runs": table(run_rows, ("run", "when", "engine", "verdict", "why", "bundle")),
    }
