"""The answerer that asks a model, over real HTTP: it says only what its statements support, or nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from bench.llm_server import MODEL, ChatServer, Reply, completion
from tests.parity.desk import CHUNK, Chunks
from viska_assets.engines.llm import EndpointFailure
from viska_assets.maintain.choosing import chat_model
from viska_assets.query.answerer import Material
from viska_assets.query.answers import Answer
from viska_assets.query.from_passages import answer_from_chunks
from viska_assets.query.model_answerer import ModelAnswerer
from viska_assets.query.wording import Asking
from viska_assets.store.llm_settings import LlmSettings

ASKING = Asking("What was revenue in 2024?")
REVENUE = "Revenue was $5.2 million in 2024."


def settings(url: str) -> LlmSettings:
    return LlmSettings(url=url, model=MODEL, attempts=1, seconds=5, request_seconds=2)


def answered(behave: Callable[[dict[str, Any]], Reply]) -> Answer:
    with ChatServer(behave) as server:
        answerer = ModelAnswerer(chat_model(settings(server.url), "VISKA_ANSWERER=llm"))
        return answer_from_chunks(ASKING, [CHUNK], Chunks(), answerer=answerer)


def number_of(request: dict[str, Any], words: str) -> int:
    """The number under which a statement was shown."""
    lines = request["messages"][1]["content"].splitlines()
    return next(int(line.partition(".")[0]) for line in lines if words in line)


def saying(text: str, words: str) -> Callable[[dict[str, Any]], Reply]:
    return lambda request: completion(json.dumps({"claims": [{"text": text, "uses": [number_of(request, words)]}]}))


def test_a_supported_sentence_is_said_with_its_citation_and_figure() -> None:
    said = answered(saying(REVENUE, REVENUE))
    assert said.text == REVENUE
    assert said.value == 5_200_000
    assert said.sources[0].chunk == CHUNK.chunk_id


@pytest.mark.parametrize(
    "text", ["Revenue was $6.9 million in 2024.", "Revenue was $5.2 billion in 2024.", "Revenue rose by 40% in 2024."]
)
def test_a_figure_that_the_statements_do_not_print_is_withheld(text: str) -> None:
    said = answered(saying(text, REVENUE))
    assert said.abstains
    assert said.withheld


def test_a_statement_that_was_not_shown_cannot_be_used() -> None:
    said = answered(lambda _: completion(json.dumps({"claims": [{"text": REVENUE, "uses": [99]}]})))
    assert said.abstains


@pytest.mark.parametrize(
    "reply",
    [
        completion("no JSON"),
        completion(json.dumps({"claims": [{"text": REVENUE}]})),
        completion(json.dumps({"claims": []})),
        completion('{"claims": [', finish_reason="length"),
        completion(None),
    ],
)
def test_an_answer_that_cannot_be_used_is_an_abstention(reply: Reply) -> None:
    assert answered(lambda _: reply).abstains


@pytest.mark.parametrize("reply", [Reply(status=500), completion("{}", model="another-model")])
def test_an_endpoint_that_fails_is_a_failure_and_not_an_abstention(reply: Reply) -> None:
    with pytest.raises(EndpointFailure):
        answered(lambda _: reply)


def test_documents_never_stand_in_the_instructions() -> None:
    seen: list[dict[str, Any]] = []

    def behave(request: dict[str, Any]) -> Reply:
        seen.append(request)
        return completion(json.dumps({"claims": []}))

    answered(behave)
    system, shown, asked = seen[0]["messages"]
    assert REVENUE not in system["content"]
    assert shown["content"].splitlines()[0] == shown["content"].splitlines()[-1]
    assert ASKING.text in asked["content"]


def test_pages_and_chunks_are_asked_about_by_the_same_answerer() -> None:
    with ChatServer(lambda _: completion(json.dumps({"claims": []}))) as server:
        answerer = ModelAnswerer(chat_model(settings(server.url), "VISKA_ANSWERER=llm"))
        assert answerer(ASKING, Material()) == []
        assert not server.requests, "nothing to cite, nothing to ask"
