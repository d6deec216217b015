"""A parity run on a home: the desk's questions, both tiers as they are now, and the run stored under its engine."""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from viska_assets.engines.protocols import Embedder
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.parity.eval_set import EvalSetError, Question, read_eval_set
from viska_assets.parity.judging import Judge, ModelJudge
from viska_assets.parity.report import answers_of, summary_of
from viska_assets.parity.rounds import System
from viska_assets.parity.run import BASELINE, SYNTHESIS, Effort, ParityRun, run_parity
from viska_assets.parity.verdict import Bars, Verdict
from viska_assets.query.answerer import Answerer
from viska_assets.query.answers import Answer
from viska_assets.query.choosing import answerer_of
from viska_assets.query.from_pages import answer_from_pages
from viska_assets.query.from_passages import answer_from_passages
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.home import Home
from viska_assets.store.parity_rows import StoredRun, add_parity_run, stored_run
from viska_assets.store.policy import ParitySection
from viska_assets.store.settings import Settings

DEMONSTRATION = Path(__file__).resolve().parents[2] / "eval_sets" / "demonstration.jsonl"


class ParityError(RuntimeError):
    """A run cannot stand; the message says why and what to do."""


@dataclass(frozen=True)
class Recorded:
    """A run with its number in the database, and the file that holds the same as JSON."""

    stored: StoredRun
    run: ParityRun
    export: Path

    @property
    def passed(self) -> bool:
        """Whether it is a PASS."""
        return self.run.decision.verdict is Verdict.PASS


def eval_set_files(settings: Settings) -> tuple[Path, ...]:
    """The desk's own eval sets; the demonstration set over the sample feed where there is none."""
    return tuple(sorted(settings.eval_sets_path.glob("*.jsonl"))) or (DEMONSTRATION,)


def read_questions(files: Iterable[Path]) -> tuple[Question, ...]:
    """The questions of some eval sets, file by file.

    Raises:
        EvalSetError: for a bad line, or an id that two files share.
    """
    found: dict[str, tuple[Question, Path]] = {}
    for path in files:
        for question in read_eval_set(path):
            if question.id in found:
                other = found[question.id][1].name
                raise EvalSetError(f"{path.name}: the id {question.id!r} is in {other} too; give each its own")
            found[question.id] = (question, path)
    return tuple(question for question, _ in found.values())


def run_and_record(
    home: Home,
    embedder: Embedder | None,
    *,
    files: Iterable[Path] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Recorded:
    """Asks both tiers the questions and stores the run with the engine version and the bundle commit that it saw.

    All answers are read from one snapshot of the database, so a bundle that changes meanwhile changes no answer; the
    summary then says so.

    Args:
        home: whose tiers, policy and settings are used.
        embedder: the model of the baseline's dense leg; without it that leg is left out.
        files: eval sets that take the place of the desk's own.
        progress: told how many rounds are done, of how many.

    Raises:
        EvalSetError: where the questions cannot be read.
        ParityError: where the engine changed while the run was under way.
    """
    chosen = tuple(files) if files is not None else eval_set_files(home.settings)
    questions = read_questions(chosen)
    if not questions:
        raise EvalSetError(f"{', '.join(path.name for path in chosen)}: there is no question; add one a line")
    engine, section = answering_engine_of(home.settings), home.policy.parity
    with home.database.transaction() as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        commit = home.bundle.head()
        run = run_parity(
            systems_of(connection, embedder, answerer_of(home.settings)),
            questions,
            StoredEvidence(connection),
            bars=bars_of(section),
            effort=Effort(section.repeats, section.least_timings),
            judge=_judge_of(home.settings),
            progress=progress,
        )
    if answering_engine_of(home.settings) != engine:
        raise ParityError(f"the engine is no longer {engine}: code, models or policy changed meanwhile; run it again")
    after = home.bundle.head()
    summary = summary_of(run) | {"bundle_commit": commit, "bundle_moved_to": after if after != commit else None}
    with home.database.transaction() as connection:
        number = add_parity_run(
            connection,
            engine=engine,
            bundle_commit=commit,
            eval_set=", ".join(path.name for path in chosen),
            verdict=run.decision.verdict.value,
            summary=summary,
            answers=answers_of(run),
        )
        stored = stored_run(connection, number)
    assert stored is not None
    return Recorded(stored, run, export_run(stored, home.settings.home_path / "parity" / f"run-{number:05}.json"))


def systems_of(connection: Connection, embedder: Embedder | None, answerer: Answerer | None) -> dict[str, System]:
    """Both paths over one connection, with the same answerer; each answer has a savepoint, so a crash stays its own."""

    def synthesis(question: Question) -> Answer:
        return answer_from_pages(connection, question.asking, answerer=answerer)

    def baseline(question: Question) -> Answer:
        return answer_from_passages(connection, embedder, question.asking, answerer=answerer)

    return {SYNTHESIS: _apart(connection, synthesis), BASELINE: _apart(connection, baseline)}


def _apart(connection: Connection, system: System) -> System:
    def answer(question: Question) -> Answer:
        with connection.transaction():
            return system(question)

    return answer


def bars_of(section: ParitySection) -> Bars:
    """The bars that the policy sets."""
    return Bars(section.min_analyst_questions, section.min_cited, section.most_latency, section.margin)


def _judge_of(settings: Settings) -> Judge | None:
    if settings.judge != "llm":
        return None
    from viska_assets.maintain.choosing import chat_model

    return ModelJudge(chat_model(settings.llm, "VISKA_JUDGE=llm"))


def run_json(stored: StoredRun) -> dict[str, object]:
    """A stored run as one JSON object."""
    return {
        "run": stored.run_id,
        "engine": stored.engine,
        "bundle_commit": stored.bundle_commit,
        "eval_set": stored.eval_set,
        "verdict": stored.verdict,
        "recorded_at": stored.recorded_at.isoformat(),
        "summary": stored.summary,
        "answers": list(stored.answers),
    }


def export_run(stored: StoredRun, path: Path) -> Path:
    """Writes a run as JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}.new")
    new.write_text(json.dumps(run_json(stored), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(path)
    return path
