"""``viska embeddings``: what is stored by model, the switch, and the refusal to drop what answers searches."""

import json

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tests.store.corpora import add
from viska_assets.cli.main import main
from viska_assets.store.embeddings import write_embeddings
from viska_assets.store.home import Home

pytestmark = pytest.mark.database


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["embeddings", *arguments])


@pytest.fixture
def two_models(home: Home) -> Home:
    with home.database.transaction() as connection:
        add(connection, 1, ["a", "b"])
        write_embeddings(connection, "old", ["1-0", "1-1"], np.eye(4, dtype=np.float32)[:2])
        write_embeddings(connection, "new", ["1-0"], np.eye(3, dtype=np.float32)[:1])
    return home


def test_models_are_listed_with_their_backlog(two_models: Home) -> None:
    rows = json.loads(run("list", "--json").output)
    assert [(row["model"], row["active"], row["embeddings"], row["backlog"]) for row in rows] == [
        ("old", True, 2, 0),
        ("new", False, 1, 1),
    ]
    assert "old" in run("list").output


def test_a_switch_waits_until_the_model_has_caught_up(two_models: Home) -> None:
    refused = run("switch", "new")
    assert refused.exit_code == 1
    assert "still lacks 1 chunks" in refused.output
    with two_models.database.transaction() as connection:
        write_embeddings(connection, "new", ["1-1"], np.eye(3, dtype=np.float32)[1:2])
    assert json.loads(run("switch", "new", "--json").output) == {"active": "new"}
    assert [row["active"] for row in json.loads(run("list", "--json").output)] == [False, True]


def test_what_answers_searches_is_not_dropped(two_models: Home) -> None:
    assert run("drop", "old").exit_code == 1
    assert run("drop", "unknown").exit_code == 1
    assert run("drop", "new").exit_code == 0
    assert [row["model"] for row in json.loads(run("list", "--json").output)] == ["old"]
