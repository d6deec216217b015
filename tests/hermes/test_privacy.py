"""Private vaults: nothing of them leaves by any path, and what is opened is logged first and announced."""

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from mcp.client import Client

from bench.query_privacy import PRIVATE, WORDS, canary, controls, fill_vaults, privacy, private_ids
from viska_assets.cli.main import main
from viska_assets.mcp.server import build_server
from viska_assets.query.access import Caller, Wanted
from viska_assets.query.errors import QueryError
from viska_assets.query.library import DEFAULT_NAMESPACES, Library
from viska_assets.query.opening import open_reference
from viska_assets.query.search import search
from viska_assets.store.home import Home

HEALTH = Caller("sage", granted=("health",))
OPENED = Wanted(("health",), "check-up", WORDS)


@pytest.fixture
def desk(home: Home, tmp_path: Path) -> Iterator[Home]:
    fill_vaults(home, tmp_path / "vaults")
    yield home
    home.close()


def scopes(home: Home) -> list[tuple[object, ...]]:
    with home.database.transaction() as connection:
        return connection.execute(
            "SELECT s.caller, s.namespaces, s.reason, r.hits FROM privacy.scope s LEFT JOIN privacy.scope_result r "
            "USING (token) ORDER BY s.opened_at"
        ).fetchall()


def test_no_byte_of_a_private_vault_leaves_by_any_path(home: Home, tmp_path: Path) -> None:
    found = privacy(home, tmp_path / "vaults")
    assert found["leaks"] == []
    assert found["leaked_bytes"] == 0
    assert found["paths"] >= 25
    assert found["attempts"] > 1_000
    assert controls(home) == len(PRIVATE)


def test_the_default_scope_is_the_desk_and_the_six_vaults(desk: Home) -> None:
    with Library(desk).reader() as reader:
        found = search(reader, WORDS)
    assert set(found.explanation.namespaces) == set(DEFAULT_NAMESPACES)
    assert {hit.where.namespace for hit in found.hits} <= set(DEFAULT_NAMESPACES)


def test_an_opened_scope_touches_what_it_names_and_is_logged_with_what_it_found(desk: Home) -> None:
    with Library(desk).reader(HEALTH, OPENED) as reader:
        found = search(reader, WORDS)
        assert [row[3] for row in scopes(desk)] == [None]
    (hit,) = found.hits
    assert canary("health") in hit.text
    assert found.explanation.private == found.explanation.namespaces == ("health",)
    assert scopes(desk) == [("sage", ["health"], "check-up", [hit.id])]


def test_what_is_opened_by_its_id_says_that_it_was_opened_and_is_logged(desk: Home) -> None:
    chunk, _ = private_ids(desk)["health"]
    with Library(desk).reader(HEALTH, OPENED) as reader:
        opened = open_reference(reader, f"viska://chunk/{chunk}")
    assert "private namespaces were opened" in opened.detail
    assert scopes(desk)[0][3] == [f"viska://chunk/{chunk}"]


def test_an_agent_that_was_granted_a_vault_opens_it_with_a_reason_only(desk: Home) -> None:
    async def ask(arguments: dict[str, object]) -> str:
        async with Client(build_server(Library(desk), caller=HEALTH)) as client:
            return (await client.call_tool("viska_search", {"question": WORDS} | arguments)).model_dump_json()

    def call(**arguments: object) -> str:
        return anyio.run(ask, arguments)

    assert canary("health") not in call()
    refused = call(namespaces=["health"])
    assert canary("health") not in refused
    assert "a reason" in refused
    assert canary("health") in (said := call(namespaces=["health"], reason="check-up"))
    assert "Private vaults were opened" in said
    assert "no such namespace" in call(namespaces=["business"], reason="check-up")


def test_a_refusal_is_worded_alike_whether_the_vault_exists_or_not(desk: Home) -> None:
    said = set()
    for name in ("business", "no-such-vault"):
        with pytest.raises(QueryError) as refusal, Library(desk).reader(HEALTH, Wanted((name,), "x")):
            pass
        said.add(str(refusal.value))
    assert len(said) == 1


@pytest.mark.parametrize("table", ["scope", "scope_result"])
def test_where_either_log_fails_the_call_fails(desk: Home, table: str) -> None:
    with desk.database.transaction() as connection:
        connection.execute(f"ALTER TABLE privacy.{table} ADD CONSTRAINT broken CHECK (false) NOT VALID")
    with pytest.raises(QueryError, match="could not be logged"), Library(desk).reader(HEALTH, OPENED) as reader:
        search(reader, WORDS)


def test_a_command_whose_log_fails_prints_nothing_of_what_it_found(desk: Home) -> None:
    with desk.database.transaction() as connection:
        connection.execute("ALTER TABLE privacy.scope_result ADD CONSTRAINT broken CHECK (false) NOT VALID")
    for command in ("search", "find-pattern"):
        what = WORDS if command == "search" else "submarine"
        done = CliRunner().invoke(main, [command, what, "--namespace", "health", "--reason", "check-up"])
        assert done.exit_code == 2
        assert canary("health") not in done.output


def test_a_command_opens_a_vault_by_its_name_and_a_reason(desk: Home) -> None:
    done = CliRunner().invoke(main, ["search", WORDS, "--namespace", "health", "--reason", "check-up", "--json"])
    assert json.loads(done.output)["explanation"]["private"] == ["health"]
    assert scopes(desk)[0][2] == "check-up"
