"""Several sources at once: a real repository, a real search server on this machine, the index of a home."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from viska_assets.hermes.coverage import Rating, audit_coverage
from viska_assets.hermes.disagreeing import contradictions
from viska_assets.hermes.patterns import find_pattern
from viska_assets.hermes.research import Researched, research
from viska_assets.hermes.vaults import sync_vaults
from viska_assets.hermes.web import WebError, search_web
from viska_assets.ingest.readers import ReadingPlan
from viska_assets.maintain.identity import AliasKind
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Library, Reader
from viska_assets.query.results import FoundIn
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.aliases import add_aliases
from viska_assets.store.home import Home
from viska_assets.store.policy import Policy

EVERYWHERE = tuple(FoundIn)
QUESTION = "zanzibar spread"


class Server(ThreadingHTTPServer):
    """A search server that counts what it is asked."""

    asked: list[str]
    body: bytes
    wait: float
    status: int


@contextmanager
def search_server(body: object, *, wait: float = 0.0, status: int = 200) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert isinstance(self.server, Server)
            self.server.asked.append(parse_qs(urlsplit(self.path).query)["q"][0])
            time.sleep(self.server.wait)
            self.send_response(self.server.status)
            self.end_headers()
            self.wfile.write(self.server.body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = Server(("127.0.0.1", 0), Handler)
    server.asked, server.body, server.wait, server.status = [], json.dumps(body).encode(), wait, status
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


RESULTS = {
    "results": [
        {
            "url": "https://www.sec.gov/x",
            "title": "Zanzibar",
            "content": "zanzibar spread on file",
            "publishedDate": "2026-01-02",
        },
        {"url": "https://blog.example/y", "title": "", "content": "a zanzibar spread, they say"},
        {"url": "javascript:alert(1)", "title": "no", "content": "no"},
    ]
}


@pytest.fixture
def desk(home: Home, tmp_path: Path) -> Iterator[Home]:
    vault = tmp_path / "vaults" / "strategic"
    vault.mkdir(parents=True)
    (vault / "one.md").write_text("---\nauthor: Ann\n---\n# One\n\nThe zanzibar spread was chosen by hand.\n")
    (vault / "two.md").write_text(
        "---\nauthor: Ann\n---\n# Apple\n\nApple's revenue was $391.0 billion in fiscal year 2024.\n"
    )
    (vault / "three.md").write_text(
        "---\nauthor: Bob\n---\n# Apple\n\nApple's revenue was $380.0 billion in fiscal year 2024.\n"
    )
    sync_vaults(home.database, home.blobs, tmp_path / "vaults", ReadingPlan("minilm-int8"), terms_of)
    with home.database.transaction() as connection:
        add_aliases(connection, [("apple", AliasKind.NAME, "issuers/apple")], "the test")
    code = tmp_path / "code"
    code.mkdir()
    (code / "pricing.py").write_text("def price(x):\n    # zanzibar spread\n    return x\n")
    run = ["git", "-c", "user.name=Ada", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*run, *arguments], cwd=code, check=True)
    yield home
    home.close()


def policy(tmp_path: Path, **research: object) -> Policy:
    return Policy.model_validate({"repositories": {"code": {"path": str(tmp_path / "code")}}, "research": research})


@contextmanager
def reader_of(home: Home, given: Policy) -> Iterator[Reader]:
    with Library(home).reader() as reader:
        yield replace(reader, embedder=lambda: None, policy=given)


def notices(home: Home) -> list[tuple[str, dict[str, object]]]:
    with home.database.transaction() as connection:
        return connection.execute("SELECT kind, payload FROM privacy.notice").fetchall()


def labels(found: Researched) -> set[str]:
    return {merged.hit.found_in.value for merged in found.hits}


def test_every_source_answers_and_each_hit_says_where_it_was_found(desk: Home, tmp_path: Path) -> None:
    with (
        search_server(RESULTS) as web,
        reader_of(desk, policy(tmp_path, searxng=f"http://127.0.0.1:{web.server_port}")) as reader,
    ):
        found = research(reader, QUESTION, sources=EVERYWHERE)
    assert labels(found) == {"vault", "repository", "web"}
    assert found.missing == ()
    by_id = {merged.hit.id.split(":")[0]: merged.hit for merged in found.hits}
    assert by_id["code"].where.line == 2
    assert by_id["code"].contributor == "Ada"
    assert len(by_id["code"].where.commit) == 40
    webs = {merged.hit.where.uri: merged.hit for merged in found.hits if merged.hit.found_in is FoundIn.WEB}
    assert list(webs) == ["https://www.sec.gov/x", "https://blog.example/y"]
    assert all(hit.confidence.value <= 0.5 for hit in webs.values())
    assert str(webs["https://blog.example/y"].date) == "unknown"


def test_a_slow_source_and_a_broken_one_are_missing_and_the_others_stand(desk: Home, tmp_path: Path) -> None:
    given = policy(tmp_path, web_seconds=0.2).model_copy(
        update={
            "repositories": policy(tmp_path).repositories
            | {"gone": policy(tmp_path).repositories["code"].model_copy(update={"path": tmp_path / "gone"})}
        }
    )
    with search_server(RESULTS, wait=3) as web:
        own = given.research.model_copy(update={"searxng": f"http://127.0.0.1:{web.server_port}"})
        with reader_of(desk, given.model_copy(update={"research": own})) as reader:
            found = research(reader, QUESTION, sources=EVERYWHERE)
    assert labels(found) == {"vault", "repository"}
    assert {gone.source for gone in found.missing} == {"web", "repository gone"}
    assert any(remark.startswith("partial") for remark in found.remarks)


def test_the_web_is_not_asked_unless_it_is_named_or_allowed_where_nothing_local_is_sure(
    desk: Home, tmp_path: Path
) -> None:
    with search_server(RESULTS) as web:
        address = f"http://127.0.0.1:{web.server_port}"
        with reader_of(desk, policy(tmp_path, searxng=address)) as reader:
            research(reader, "quokka")
        assert web.asked == []
        with reader_of(desk, policy(tmp_path, searxng=address, web_when_exhausted=True)) as reader:
            research(reader, QUESTION)
            assert web.asked == []
            assert "web" in research(reader, "quokka").asked
        assert web.asked == ["quokka"]
    with reader_of(desk, policy(tmp_path)) as reader:
        (gone,) = research(reader, QUESTION, sources=EVERYWHERE).missing
    assert "no search server is configured" in gone.reason


@pytest.mark.parametrize(("body", "status"), [({"results": [1]}, 200), ([], 200), (RESULTS, 403), (RESULTS, 302)])
def test_a_search_server_that_answers_wrongly_is_an_error(body: object, status: int) -> None:
    with search_server(body, status=status) as web, pytest.raises(WebError):
        search_web(f"http://127.0.0.1:{web.server_port}", "x", 3, 5)


def test_contradictions_are_shown_by_both_sides_and_logged_once(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        for _ in range(2):
            (conflict,) = research(reader, "Apple revenue fiscal year 2024").compared.contradictions
        assert {conflict.first.contributor, conflict.second.contributor} == {"Ann", "Bob"}
        given = contradictions(reader, "Apple revenue", ["Apple's revenue was $400.0 billion in fiscal year 2024."])
        assert len(given.contradictions) == 3
        with pytest.raises(QueryError):
            contradictions(reader)
    logged = notices(desk)
    assert len(logged) == 3
    assert {key for _, payload in logged for key in payload} == {"explanation", "sides"}


def test_a_pattern_is_found_where_it_stands_and_nowhere_else(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        found = find_pattern(reader, "Zanzibar Spread")
        assert [hit.found_in for hit in found.hits] == [FoundIn.VAULT, FoundIn.REPOSITORY]
        assert "zanzibar spread" in found.hits[0].text
        assert [hit.where.line for hit in find_pattern(reader, r"return [xy]$", regex=True).hits] == [3]
        assert find_pattern(reader, "--help").hits == ()
        for wrong in ("", "a\nb", "x" * 501):
            with pytest.raises(QueryError):
                find_pattern(reader, wrong)
        with pytest.raises(QueryError, match="no regular expression"):
            find_pattern(reader, "(", regex=True)
        assert len(find_pattern(reader, "zanzibar").hits) == 2


def test_coverage_lists_what_exists_and_names_who_fills_a_gap(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        nothing, some = audit_coverage(reader, "quokka"), audit_coverage(reader, "Apple revenue")
    assert (nothing.rating, nothing.documents) == (Rating.SPARSE, 0)
    assert some.rating is Rating.PARTIAL
    assert {one.contributor for one in some.existing} == {"Ann", "Bob"}
    assert all(gap.owner for gap in (*nothing.gaps, *some.gaps))
    assert any("no maintained page" in gap.what for gap in some.gaps)
