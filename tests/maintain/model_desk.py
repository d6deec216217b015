"""A language model of the test before a real HTTP server, the filing it reads, and what it leaves behind."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from bench.llm_answers import honest_answer
from bench.llm_server import MODEL, ChatServer, Reply, completion
from bench.maintainer import maintain, receive
from tests.maintain.filings import Report
from viska_assets.engines.llm import TokenBudget
from viska_assets.engines.llm_http import Clock, HttpChatModel, Limits
from viska_assets.maintain.llm.drafter import DrafterPolicy, LlmDrafter
from viska_assets.store.documents import incidents
from viska_assets.store.home import Home
from viska_assets.store.llm_calls import LlmCall, llm_calls
from viska_assets.store.quarantine import Quarantined, open_quarantine

Behaviour = Callable[[dict[str, Any]], Reply]


def report(issuer: str = "Fern Works Inc.", year: int = 2024, prose: str = "") -> Report:
    rows = {
        "Total revenues": {year: 512, year - 1: 480},
        "Cost of revenues": {year: 210, year - 1: 200},
        "Operating income": {year: 97, year - 1: 91},
        "Net income": {year: 64, year - 1: 61},
    }
    return Report(issuer, year, rows, prose=prose)


class Model:
    """A drafter before a server of the test, with a clock that moves only by sleep or as the server says."""

    def __init__(self, home: Home, behave: Behaviour, **limits: Any) -> None:
        self.home, self.now = home, 0.0
        self.server = ChatServer(behave)
        tokens = count(1)
        self.budget = TokenBudget(limits.pop("tokens", 0))
        self.limits = Limits(**({"seconds": 60.0, "request_seconds": 20.0, "attempts": 2} | limits))
        self.token = lambda: f"{next(tokens):016x}"

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def take(self, *paths: Path) -> dict[str, Any]:
        """Delivers files and runs one maintainer pass with this model."""
        receive(self.home, list(paths))
        with self.server:
            model = HttpChatModel(
                self.server.url,
                MODEL,
                limits=self.limits,
                budget=self.budget,
                clock=Clock(lambda: self.now, self.sleep),
                jitter=lambda: 0.0,
            )
            drafter = LlmDrafter(model, DrafterPolicy(2, 60.0), now=lambda: self.now, token=self.token)
            return maintain(self.home, drafter)

    @property
    def asked(self) -> list[dict[str, Any]]:
        return self.server.requests


def answering(home: Home, change: Callable[[dict[str, Any]], None] = lambda answer: None) -> Behaviour:
    """An honest model whose answer the test changes."""

    def behave(request: dict[str, Any]) -> Reply:
        answer = honest_answer(home.database, request)
        change(answer)
        return completion(json.dumps(answer))

    return behave


def queue(home: Home) -> list[Quarantined]:
    with home.database.transaction() as connection:
        return open_quarantine(connection)


def calls(home: Home) -> list[LlmCall]:
    with home.database.transaction() as connection:
        return llm_calls(connection)


def incident_kinds(home: Home) -> set[str]:
    with home.database.transaction() as connection:
        return {row["kind"] for row in incidents(connection)}


def concept(answer: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(part for part in answer["concepts"] if part["concept"].startswith(kind))


def figure(answer: dict[str, Any], label: str) -> dict[str, Any]:
    return next(f for f in concept(answer, "issuers/")["figures"] if f["label"] == label)
