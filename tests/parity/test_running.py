"""Runs on a home, and the flips that rest on them."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.disposable import Disposable
from tests.parity.conftest import few_rounds, signed_by_an_analyst
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.parity import flipping, running
from viska_assets.parity.eval_set import EvalSetError
from viska_assets.parity.flipping import demote, rollback
from viska_assets.parity.running import DEMONSTRATION, ParityError, eval_set_files, read_questions, run_and_record
from viska_assets.query.library import Library
from viska_assets.query.results import Tier as Route
from viska_assets.query.routing import route
from viska_assets.query.wording import Asking
from viska_assets.store.home import Home
from viska_assets.store.parity_gate import Tier, flips, synthesis_is_open, tier_in_force
from viska_assets.store.parity_rows import stored_run, stored_runs

VIEW = Asking("Summarise the thesis of Harbour Lane Securities on Apple.")


def recorded(home: Home, **given):
    with Library(home).reader() as reader:
        return run_and_record(home, reader.embedder(), **given)


def test_the_extractive_answerers_invent_nothing_and_synthesis_passes_over_the_sample(opened: Home) -> None:
    done = recorded(opened)
    assert done.run.decision.verdict.value == "PASS", done.run.decision
    assert [done.run.scores[path].fabrications for path in ("synthesis", "baseline")] == [0, 0]
    with opened.database.transaction() as connection:
        stored = stored_run(connection)
    assert stored is not None
    assert stored.engine == answering_engine_of(opened.settings)
    assert stored.bundle_commit == opened.bundle.head() == stored.summary["bundle_commit"]
    assert stored.eval_set == "desk.jsonl"
    exported = json.loads(done.export.read_text("utf-8"))
    assert exported["run"] == stored.run_id
    assert len(exported["answers"]) == 50
    assert all(answer["synthesis"]["citations"] for answer in exported["answers"] if answer["synthesis"]["answer"])


def test_the_demonstration_set_is_shown_and_never_counts(opened: Home) -> None:
    done = recorded(opened, files=[DEMONSTRATION])
    assert done.run.decision.verdict.value == "NOT_ELIGIBLE"
    with pytest.raises(ParityError, match=r"refused: parity run 1 .* is NOT_ELIGIBLE"):
        demote(opened, lambda: done, actor="human:ann", reason="try")
    with opened.database.transaction() as connection:
        assert tier_in_force(connection) is Tier.RETRIEVAL


def test_demote_runs_the_eval_itself_and_rollback_is_at_once(opened: Home) -> None:
    library = Library(opened)
    with library.reader() as reader:
        assert route(reader, VIEW).tier is Route.RETRIEVAL
    flip = demote(opened, lambda: recorded(opened), actor="human:ann", reason="it reads well")
    assert (flip.run_id, flip.to_tier, flip.actor) == (1, Tier.SYNTHESIS, "human:ann")
    with library.reader() as reader:
        assert route(reader, VIEW).tier is Route.SYNTHESIS
    with pytest.raises(ParityError, match="synthesis answers already"):
        demote(opened, lambda: recorded(opened), actor="human:ann", reason="again")
    back = rollback(opened, actor="human:bo", reason="a doubt")
    with library.reader() as reader:
        assert route(reader, VIEW).tier is Route.RETRIEVAL
    with opened.database.transaction() as connection:
        assert [each.flip_no for each in flips(connection)] == [back.flip_no, flip.flip_no]
        assert len(stored_runs(connection)) == 1
    with pytest.raises(ParityError, match="nothing to roll back"):
        rollback(opened, actor="human:bo", reason="again")


@pytest.mark.parametrize("given", [{"actor": "", "reason": "x"}, {"actor": "ann", "reason": " "}])
def test_a_flip_without_a_name_or_a_reason_is_refused(opened: Home, given: dict[str, str]) -> None:
    with pytest.raises(ParityError, match="names who asks for it and why"):
        rollback(opened, **given)
    with pytest.raises(ParityError, match="names who asks for it and why"):
        flipping.demote(opened, lambda: pytest.fail("no run is wanted"), **given)


def test_an_engine_that_changes_during_the_run_stores_nothing(opened: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = iter(("aaaaaaaaaaaa", "bbbbbbbbbbbb"))
    monkeypatch.setattr(running, "answering_engine_of", lambda _: next(engines))
    with pytest.raises(ParityError, match="the engine is no longer aaaaaaaaaaaa"):
        recorded(opened)
    with opened.database.transaction() as connection:
        assert not stored_runs(connection)


def test_a_bundle_that_moves_on_during_the_run_is_named_with_both_commits(opened: Home) -> None:
    before = opened.bundle.head()

    def move(done: int, _: int) -> None:
        if done == 1:
            git = [
                "git",
                "-C",
                str(opened.settings.bundle_path),
                "-c",
                "user.name=ann",
                "-c",
                "user.email=ann@viska.example",
            ]
            subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", "moved on"], check=True)

    stored = recorded(opened, progress=move).stored
    assert stored.bundle_commit == before
    assert stored.summary["bundle_moved_to"] == opened.bundle.head() != before


def test_a_path_that_breaks_its_statement_crashes_alone(opened: Home) -> None:
    with Library(opened).reader() as reader:
        systems = running.systems_of(reader.connection, reader.embedder(), None)
        broken = running._apart(reader.connection, lambda _: reader.connection.execute("SELECT 1/0"))  # type: ignore[arg-type, return-value]
        (question, *_) = read_questions([DEMONSTRATION])
        with pytest.raises(Exception, match="division by zero"):
            broken(question)
        assert not systems["synthesis"](question).abstains


def test_the_gate_closes_by_itself_when_the_policy_changes(
    opened: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demote(opened, lambda: recorded(opened), actor="human:ann", reason="it reads well")
    monkeypatch.setenv("VISKA_POLICY", str(few_rounds(tmp_path / "policy.yaml", "  min_cited: 0.96\n")))
    changed = Home(type(opened.settings)())
    with changed.database.transaction() as connection:
        gate = synthesis_is_open(connection, answering_engine_of(changed.settings))
    changed.close()
    assert not gate.open
    assert "has no parity run; run 1 is of engine" in gate.reason


def test_two_files_may_not_share_an_id(tmp_path: Path) -> None:
    first, second = (signed_by_an_analyst(tmp_path / name) for name in ("a", "b"))
    other = second.rename(second.with_name("second.jsonl"))
    with pytest.raises(EvalSetError, match=r"second\.jsonl: the id 'demo-01' is in desk\.jsonl too"):
        read_questions([first, other])


def test_the_demonstration_set_is_used_until_the_desk_has_its_own(home: Home) -> None:
    assert eval_set_files(home.settings) == (DEMONSTRATION,)
    assert DEMONSTRATION == REPOSITORY / "eval_sets" / "demonstration.jsonl"
    mine = signed_by_an_analyst(home.settings.eval_sets_path)
    assert eval_set_files(home.settings) == (mine,)


def test_the_commands(analyst_home: Disposable, opened: Home) -> None:
    ran = analyst_home.viska("parity", "run", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["verdict"] == "PASS"
    shown = analyst_home.viska("parity", "run", "--set", str(DEMONSTRATION))
    assert shown.returncode == 1
    assert "NOT_ELIGIBLE: 0 questions by analysts" in " ".join(shown.stdout.split())
    assert "demo-05" in analyst_home.viska("parity", "show", "1", "--answers").stdout
    compared = json.loads(analyst_home.viska("parity", "compare", "1", "2", "--json").stdout)
    assert "verdict PASS before, NOT_ELIGIBLE after" in compared["remarks"]
    refused = analyst_home.viska("parity", "show", "77")
    assert (refused.returncode, "there is no parity run 77" in refused.stderr) == (1, True)
    assert analyst_home.viska("parity", "demote", "--reason", "it reads well").returncode == 0
    status = json.loads(analyst_home.viska("parity", "status", "--json").stdout)
    assert (status["open"], status["run_id"], status["flag"]) == (True, 3, "synthesis")
    assert analyst_home.viska("parity", "rollback", "--reason", "a doubt", "--actor", "bo").returncode == 0
    listed = json.loads(analyst_home.viska("parity", "list", "--json").stdout)
    assert [each["verdict"] for each in listed] == ["PASS", "NOT_ELIGIBLE", "PASS"]
