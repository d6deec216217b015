"""Opening what several sources found: a committed line in its file; no page of the web."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hermes.test_research import QUESTION, desk, policy, reader_of
from viska_assets.hermes.opening import open_anything
from viska_assets.hermes.research import research
from viska_assets.query.errors import QueryError
from viska_assets.query.opening import OpenedKind
from viska_assets.query.results import FoundIn
from viska_assets.store.home import Home

__all__ = ["desk"]


def found_line(home: Home, tmp_path: Path) -> str:
    with reader_of(home, policy(tmp_path)) as reader:
        (merged,) = research(reader, QUESTION, sources=(FoundIn.REPOSITORY,)).hits
    return merged.hit.where.uri


def test_a_found_line_opens_highlighted_in_its_file_as_it_was_committed(desk: Home, tmp_path: Path) -> None:
    uri = found_line(desk, tmp_path)
    # What has happened in the clone since does not change what was found.
    code = tmp_path / "code"
    (code / "pricing.py").write_text("gone\n")
    subprocess.run(
        ["git", "-c", "user.name=Bob", "-c", "user.email=b@example.com", "commit", "-qam", "two"], cwd=code, check=True
    )
    with reader_of(desk, policy(tmp_path)) as reader:
        opened = open_anything(reader, uri)
        assert opened.highlight is not None
        assert opened.highlight.of(opened.text) == "    # zanzibar spread"
        assert (opened.kind, opened.title, opened.next_offset) == (OpenedKind.FILE, "code: pricing.py", None)
        assert "Ada" in opened.detail
        window = open_anything(reader, uri, offset=4, limit=5)
        assert (window.text, window.highlight, window.next_offset) == (opened.text[4:9], None, 9)


@pytest.mark.parametrize(
    "reference",
    [
        "git:nowhere/pricing.py@{commit}#L2",
        "git:code/absent.py@{commit}#L2",
        "git:code/../../etc/passwd@{commit}#L1",
        "git:code/pricing.py@{commit}#L99",
        "git:code/pricing.py@0123456789abcdef0123456789abcdef01234567#L1",
        "git:code/--output=x@{commit}#L1",
        "git:code/pricing.py@HEAD#L1",
        "https://www.sec.gov/x",
    ],
)
def test_what_is_not_there_or_not_to_be_fetched_is_refused(desk: Home, tmp_path: Path, reference: str) -> None:
    commit = found_line(desk, tmp_path).partition("@")[2].partition("#")[0]
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with reader_of(desk, policy(tmp_path)) as reader, pytest.raises(QueryError):
        open_anything(reader, reference.format(commit=commit))
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_repository_of_a_private_vault_opens_for_a_logged_scope_alone(desk: Home, tmp_path: Path) -> None:
    uri = found_line(desk, tmp_path)
    given = policy(tmp_path)
    closed = {name: one.model_copy(update={"namespace": "health"}) for name, one in given.repositories.items()}
    with reader_of(desk, given.model_copy(update={"repositories": closed})) as reader:
        with pytest.raises(QueryError, match="no such repository"):
            open_anything(reader, uri)
        scoped = replace(reader, namespaces=("health",), private=("health",))
        assert "private namespaces were opened" in open_anything(scoped, uri).detail
        assert scoped.shown == [uri]


def test_what_the_desk_holds_opens_as_ever(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        (chunk, *_) = research(reader, QUESTION, sources=(FoundIn.VAULT,)).hits
        assert "zanzibar" in open_anything(reader, chunk.hit.where.uri).text
