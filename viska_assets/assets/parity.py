"""The parity eval as assets: the labelled questions, and both tiers' answers to them with the verdict."""

from pathlib import Path
from time import perf_counter
from typing import Any

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.previews import seconds_since, table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.maintain.world import load_world
from viska_assets.parity.eval_set import Question, read_eval_set
from viska_assets.parity.run import answers_of, run_parity, summary_of
from viska_assets.store.nightly_rows import add_parity_run

GROUP = "parity"
EVAL_SETS = Path(__file__).resolve().parents[2] / "eval_sets"


def read_questions() -> tuple[Question, ...]:
    """The questions of every eval set, file by file."""
    return tuple(question for path in sorted(EVAL_SETS.glob("*.jsonl")) for question in read_eval_set(path))


def build_parity_assets(version: str) -> list[dg.AssetsDefinition]:
    """The two assets; ``parity_eval`` carries the engine version, so that a run is known to be of that engine."""

    @dg.asset(group_name=GROUP, kinds={"json"}, owners=OWNERS, code_version="1")
    def eval_set() -> dg.MaterializeResult:
        """Labelled questions with gold answers, each saying who sourced it. Synthetic ones never count."""
        questions = read_questions()
        rows = [
            {"id": q.id, "question": q.question, "shape": q.shape.value, "sourced_by": q.sourced_by.value}
            for q in questions
        ]
        by_source = {row["sourced_by"] for row in rows}
        counted = {f"from_{who}": sum(1 for r in rows if r["sourced_by"] == who) for who in sorted(by_source)}
        columns = ("id", "question", "shape", "sourced_by")
        return dg.MaterializeResult(
            metadata={"dagster/row_count": len(rows), **counted, "questions": table(rows, columns)}
        )

    @dg.asset(
        deps=[eval_set, "bundle_index", "chunk_embeddings"],
        group_name=GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version=version,
    )
    def parity_eval(home: HomeResource) -> dg.MaterializeResult:
        """Both tiers on the same questions: correctness, citations, fabrication, latency, and the verdict."""
        started = perf_counter()
        state = home.open()
        with state.database.transaction() as connection:
            run = run_parity(connection, home.embedder(), load_world(connection), read_questions())
            summary, answers = summary_of(run), answers_of(run)
            number = add_parity_run(
                connection,
                engine=version,
                bundle_commit=state.bundle.head(),
                eval_set="all",
                verdict=run.decision.verdict.value,
                summary=summary,
                answers=answers,
            )
        metadata = _metadata(number, run.decision.why, summary, answers)
        return dg.MaterializeResult(metadata=metadata | {"seconds": seconds_since(started)})

    return [eval_set, parity_eval]


def _metadata(
    number: int, why: str, summary: dict[str, Any], answers: list[dict[str, Any]]
) -> dict[str, dg.MetadataValue | int | float | str]:
    rows = [
        {
            "id": answer["id"],
            "shape": answer["shape"],
            "synthesis": f"{answer['synthesis']['correct']} {answer['synthesis']['answer']}",
            "baseline": f"{answer['baseline']['correct']} {answer['baseline']['answer']}",
        }
        for answer in answers
    ]
    criteria = [{k: str(v) for k, v in criterion.items()} for criterion in summary["criteria"]]
    return {
        "dagster/row_count": len(answers),
        "run": number,
        "verdict": summary["verdict"],
        "why": why,
        "synthesis_correct_mean": summary["synthesis"]["correct_mean"],
        "baseline_correct_mean": summary["baseline"]["correct_mean"],
        "fabrications": summary["synthesis"]["fabrications"],
        "criteria": table(criteria, ("name", "holds", "figure")),
        "answers": table(rows, ("id", "shape", "synthesis", "baseline")),
    }
