"""What an operator sees of the LLM drafter in the metadata of ``concept_drafts``, chosen by settings alone."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from bench.llm_answers import honest_answer
from bench.llm_server import MODEL, ChatServer, Reply, completion
from bench.maintainer import receive
from resources.home import HomeResource
from tests.maintain.filings import Report
from viska_assets.assets.synthesis import concept_drafts
from viska_assets.store.home import Home

pytestmark = pytest.mark.database

ROWS = {"Total revenues": {2024: 512}, "Net income": {2024: 64}, "Operating income": {2024: 97}}


def materialized(home: Home, monkeypatch: pytest.MonkeyPatch, reply: Any) -> dict[str, Any]:
    with ChatServer(reply) as server:
        monkeypatch.setenv("VISKA_DRAFTER", "llm")
        monkeypatch.setenv("VISKA_LLM_URL", server.url)
        monkeypatch.setenv("VISKA_LLM_MODEL", MODEL)
        monkeypatch.setenv("VISKA_LLM_PROMPT_PRICE", "2")
        resource = HomeResource(home=str(home.settings.home_path))
        with dg.build_asset_context() as context:
            result = concept_drafts(context, home=resource)
        resource.open().close()
    assert isinstance(result, dg.MaterializeResult) and result.metadata
    return dict(result.metadata)


def test_calls_tokens_and_cost_are_shown(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    receive(home, [Report("Fern Works Inc.", 2024, ROWS).write(tmp_path)])
    shown = materialized(home, monkeypatch, lambda r: completion(json.dumps(honest_answer(home.database, r))))
    assert (shown["llm_model"], shown["llm_attempts"], shown["llm_tokens"]) == (MODEL, 1, 1200)
    assert shown["llm_cost"] == pytest.approx(0.002)
    assert (shown["documents_drafted"], shown["documents_waiting"], shown["failed"]) == (1, 0, 0)


def test_a_document_that_waits_is_shown(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    receive(home, [Report("Fern Works Inc.", 2024, ROWS).write(tmp_path)])
    shown = materialized(home, monkeypatch, lambda _: Reply(403))
    assert (shown["documents_drafted"], shown["documents_waiting"]) == (0, 1)
    table = shown["llm_calls"]
    assert "RequestRefused" in str(table)
