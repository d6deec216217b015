"""The judge: recorded beside the grade, never a part of it, and a failure is no grade."""

import json

import pytest

from bench.llm_server import MODEL, ChatServer, Reply, completion
from tests.parity.desk import Chunks, invented, question, right
from viska_assets.maintain.choosing import chat_model
from viska_assets.parity.judging import ModelJudge
from viska_assets.parity.report import answers_of, summary_of
from viska_assets.parity.run import Effort, run_parity
from viska_assets.parity.verdict import Bars, Verdict
from viska_assets.store.llm_settings import LlmSettings


def judge(url: str) -> ModelJudge:
    settings = LlmSettings(url=url, model=MODEL, attempts=1, seconds=5, request_seconds=2)
    return ModelJudge(chat_model(settings, "VISKA_JUDGE=llm"))


def test_a_judge_that_praises_everything_saves_no_fabrication() -> None:
    praise = completion(json.dumps({"grade": 2, "reason": "perfect"}))
    questions = [question(number) for number in range(1, 4)]
    systems = {"synthesis": lambda _: invented(), "baseline": lambda _: right()}
    with ChatServer(lambda _: praise) as server:
        done = run_parity(systems, questions, Chunks(), bars=Bars(1), effort=Effort(1, 1), judge=judge(server.url))
    assert done.decision.verdict is Verdict.FAIL
    said = answers_of(done)[0]["synthesis"]
    assert said["correct"] == 0
    assert said["judge"] == {"judge": MODEL, "grade": 2, "reason": "perfect"}
    assert any("agrees with 0 of 3" in remark for remark in summary_of(done)["remarks"])


def test_a_judge_that_condemns_everything_changes_no_verdict() -> None:
    systems = {"synthesis": lambda _: right(), "baseline": lambda _: right()}
    with ChatServer(lambda _: completion(json.dumps({"grade": 0, "reason": "no"}))) as server:
        bars = Bars(1, most_latency=1e9)
        done = run_parity(systems, [question()], Chunks(), bars=bars, effort=Effort(1, 1), judge=judge(server.url))
    assert done.decision.verdict is Verdict.PASS


@pytest.mark.parametrize("reply", [Reply(status=500), completion("3"), completion('{"grade": 5, "reason": ""}')])
def test_a_judge_that_fails_gives_no_grade_and_says_why(reply: Reply) -> None:
    with ChatServer(lambda _: reply) as server:
        judged = judge(server.url)(question(), right())
    assert judged.grade is None
    assert judged.reason
