"""The HTTP embedders against a server that fails in every way a model server has been seen to fail."""

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler

import numpy as np
import pytest

from tests.engines.model_server import DIMENSION, MODEL, FaultyServer, faulty_server, reply, vector_of
from viska_assets.engines.catalogue import load_embedder
from viska_assets.engines.http_client import ModelServer, _asked_wait
from viska_assets.engines.http_embedder import OpenAiEmbedder, TeiEmbedder
from viska_assets.engines.protocols import Embedder, EngineError

FORMS = ["tei", "openai"]


@pytest.fixture
def served() -> Iterator[FaultyServer]:
    with faulty_server() as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    return []


def embedder(form: str, served: FaultyServer, waits: list[float], **more: float) -> Embedder:
    server = ModelServer(served.url, "secret", pause=waits.append)
    server = replace(server, **more)  # type: ignore[arg-type]
    if form == "tei":
        return TeiEmbedder(server, MODEL)
    return OpenAiEmbedder(replace(server, url=f"{served.url}/v1"), MODEL)


def unit(text: str) -> np.ndarray:
    vector = np.array(vector_of(text), dtype=np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("form", FORMS)
def test_texts_are_embedded_in_their_order_and_in_batches(form: str, served: FaultyServer, waits: list[float]) -> None:
    found = embedder(form, served, waits)
    texts = [f"passage {at}" for at in range(70)]
    vectors = found.embed_passages(texts)
    assert np.allclose(vectors, [unit(text) for text in texts], atol=1e-6)
    assert np.allclose(found.embed_query("why"), unit("why"), atol=1e-6)
    assert found.identity.name == MODEL
    assert found.identity.dimension == DIMENSION
    assert found.identity.revision == ("c0ffee" if form == "tei" else "unstated")
    assert found.embed_passages([]).shape == (0, DIMENSION)
    assert {key for _, _, key in served.requests} == {"Bearer secret"}
    assert max(len(body.get("inputs", body.get("input", []))) for _, body, _ in served.requests) == 32  # type: ignore[arg-type]


def busy(handler: BaseHTTPRequestHandler) -> None:
    reply(handler, 429, b'{"error": "busy"}', retry_after="7")


def failing(handler: BaseHTTPRequestHandler) -> None:
    reply(handler, 500, b"<h1>Internal Server Error</h1>")


def cut(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b"[[0.1, 0.2")
    handler.wfile.flush()
    handler.close_connection = True


@pytest.mark.parametrize("form", FORMS)
def test_passing_faults_are_tried_again_and_retry_after_is_kept(
    form: str, served: FaultyServer, waits: list[float]
) -> None:
    found = embedder(form, served, waits)
    assert found.identity.dimension == DIMENSION
    served.faults = [busy, failing, cut]
    assert np.allclose(found.embed_passages(["a"])[0], unit("a"), atol=1e-6)
    assert waits == [7.0, 1.0, 2.0]


@pytest.mark.parametrize("fault", [busy, failing, cut])
def test_a_fault_that_stays_ends_in_an_engine_error(fault, served: FaultyServer, waits: list[float]) -> None:
    found = embedder("tei", served, waits, attempts=3)
    assert found.identity.dimension == DIMENSION
    served.faults = [fault] * 10
    with pytest.raises(EngineError, match="did not answer in 3 attempts"):
        found.embed_passages(["a"])
    assert len(served.faults) == 7


def test_a_wait_beyond_patience_is_not_begun(served: FaultyServer, waits: list[float]) -> None:
    served.faults = [lambda h: reply(h, 429, b"{}", retry_after="3600")] * 9
    with pytest.raises(EngineError, match="status 429"):
        embedder("tei", served, waits, patience=10.0).embed_query("a")
    assert waits == []


def test_a_server_that_hangs_is_given_up(served: FaultyServer, waits: list[float]) -> None:
    def hang(handler: BaseHTTPRequestHandler) -> None:
        served.released.wait(20)
        handler.close_connection = True

    found = embedder("tei", served, waits, timeout=0.2)
    assert found.identity.dimension == DIMENSION
    served.faults = [hang] * 9
    with pytest.raises(EngineError, match="ReadTimeout"):
        found.embed_query("a")


def test_a_server_that_drips_is_given_up(served: FaultyServer, waits: list[float]) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "100000")
        handler.end_headers()
        while not served.released.wait(0.05):
            try:
                handler.wfile.write(b" ")
                handler.wfile.flush()
            except OSError:
                return

    found = embedder("tei", served, waits, timeout=0.3, attempts=2)
    assert found.identity.dimension == DIMENSION
    served.faults = [drip] * 9
    with pytest.raises(EngineError, match=r"not whole after 0\.3 s"):
        found.embed_passages(["a"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: [[*row, 0.5] for row in rows], "9 dimensions where its model has 8"),
        (lambda rows: [[math.nan, *row[1:]] for row in rows], "not finite"),
        (lambda rows: [[math.inf, *row[1:]] for row in rows], "not finite"),
        (lambda rows: [[0.0] * len(row) for row in rows], "or zero"),
        (lambda rows: rows[:-1], "answers 2 texts with"),
        (lambda rows: [rows[0], rows[1][:4]], "different lengths"),
        (lambda rows: [["x"] * len(row) for row in rows], "no numbers"),
    ],
)
def test_vectors_that_cannot_be_right_are_refused(
    form: str, change, said: str, served: FaultyServer, waits: list[float]
) -> None:
    found = embedder(form, served, waits)
    assert found.identity.dimension == DIMENSION

    def changed(answer):
        if isinstance(answer, list):
            return change(answer)
        rows = change([row["embedding"] for row in answer["data"]])
        return answer | {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}

    served.change = changed
    with pytest.raises(EngineError, match=said):
        found.embed_passages(["a", "b"])
    assert waits == []


@pytest.mark.parametrize("form", FORMS)
def test_a_page_instead_of_json_is_refused_at_once(form: str, served: FaultyServer, waits: list[float]) -> None:
    served.faults = [lambda h: reply(h, 200, b"<html>Please log in</html>", content_type="text/html")]
    with pytest.raises(EngineError, match=r"not JSON.*Please log in"):
        embedder(form, served, waits).embed_query("a")
    assert waits == []


@pytest.mark.parametrize("form", FORMS)
def test_another_model_is_refused(form: str, served: FaultyServer, waits: list[float]) -> None:
    served.model = "acme/other"
    with pytest.raises(EngineError, match=r"acme/other.*acme/embed-small"):
        embedder(form, served, waits).embed_query("a")


@pytest.mark.parametrize("answer", [None, [], {"data": {}}, {"model": MODEL, "data": [{"embedding": [1.0]}]}])
def test_an_answer_of_another_form_is_refused(answer: object, served: FaultyServer, waits: list[float]) -> None:
    served.change = lambda _: answer
    for form in FORMS:
        with pytest.raises(EngineError):
            embedder(form, served, waits).embed_query("a")


def test_a_batch_that_is_too_large_is_halved(served: FaultyServer, waits: list[float]) -> None:
    served.most = 5
    texts = [f"passage {at}" for at in range(40)]
    assert np.allclose(embedder("tei", served, waits).embed_passages(texts), [unit(t) for t in texts], atol=1e-6)
    served.most = 0
    with pytest.raises(EngineError, match="status 413"):
        embedder("tei", served, waits).embed_passages(["one text"])


def test_a_refused_key_is_not_tried_again_and_never_printed(served: FaultyServer, waits: list[float]) -> None:
    served.faults = [lambda h: reply(h, 401, b'{"error": "bad key"}')]
    found = embedder("tei", served, waits)
    with pytest.raises(EngineError, match="status 401") as refusal:
        found.embed_query("a")
    assert "secret" not in str(refusal.value)
    assert "secret" not in repr(ModelServer(served.url, "secret"))


def test_a_key_follows_no_redirect(served: FaultyServer, waits: list[float]) -> None:
    served.faults = [lambda h: reply(h, 307, b"", location="http://127.0.0.1:9/elsewhere")]
    with pytest.raises(EngineError, match="status 307"):
        embedder("tei", served, waits).embed_query("a")


def test_no_server_at_all_is_an_engine_error(waits: list[float]) -> None:
    with pytest.raises(EngineError, match="did not answer"):
        TeiEmbedder(ModelServer("http://127.0.0.1:9", pause=waits.append, attempts=2), "").embed_query("a")


def test_settings_name_a_server(served: FaultyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISKA_EMBEDDER_KEY", "of the environment")
    assert load_embedder(f"tei:{served.url}").embed_query("a").shape == (DIMENSION,)
    assert load_embedder(f"openai:{served.url}/v1#{MODEL}").embed_query("a").shape == (DIMENSION,)
    load_embedder(f"tei:{served.url}", "given").embed_query("a")
    assert {key for _, _, key in served.requests} == {"Bearer of the environment", "Bearer given"}
    with pytest.raises(EngineError, match="name the model after a #"):
        load_embedder(f"openai:{served.url}/v1")
    with pytest.raises(EngineError, match="VISKA_EMBEDDER takes one of"):
        load_embedder("tei:ftp://somewhere")


def test_tokens_are_counted_without_a_server() -> None:
    counted = load_embedder("tei:http://127.0.0.1:9").count_tokens("Reconciliation of net sales, 1,577.00 in 2019.")
    assert 10 <= counted <= 16


def test_retry_after_is_a_number_or_a_date() -> None:
    assert _asked_wait("12") == 12
    assert 50 < _asked_wait(format_datetime(datetime.now(tz=UTC) + timedelta(seconds=60))) <= 60
    assert [_asked_wait(header) for header in ("", "soon", "-3", "nan", "inf")] == [0.0] * 5
