"""A desk for the maintainer's tests: deliver documents, run one pass, read the pages."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.maintainer import maintain, receive
from viska_assets.maintain.calculations.gathering import FEED, calculate_portfolio
from viska_assets.model.claim import Claim
from viska_assets.store.home import Home
from viska_assets.store.registry import live_claims


class Desk:
    """A home and what one does with it."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def take(self, paths: Iterable[Path]) -> dict[str, tuple[str, ...]]:
        """Delivers the files and runs a maintainer pass; returns the codes of refused drafts by concept."""
        receive(self.home, list(paths))
        judged = maintain(self.home)["judged"]
        return {a.draft.delta.concept_id: a.verdict.codes for a in judged if not a.verdict.passed}

    def calculate(self) -> Path | None:
        """Computes the portfolio's return and delivers the calculation, as the asset does."""
        folder = self.home.settings.home_path / "calculations"
        with self.home.database.transaction() as connection:
            path = calculate_portfolio(connection, folder)
        if path:
            receive(self.home, [path], feed=FEED)
        return path

    def page(self, concept_id: str) -> str:
        """A page's text in the bundle."""
        return self.home.bundle.files()[f"{concept_id}.md"]

    def body(self, concept_id: str) -> str:
        """A page's body without citation marks."""
        text = self.page(concept_id).split("\n---\n", 1)[1].split("\n# Citations", 1)[0]
        return re.sub(r"\[\^\w+\]", "", text)

    def claims(self) -> list[Claim]:
        """The live claims."""
        with self.home.database.transaction() as connection:
            return live_claims(connection)


@pytest.fixture
def desk(home: Home) -> Desk:
    return Desk(home)
