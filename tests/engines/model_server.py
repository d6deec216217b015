"""A model server for tests: real HTTP on loopback, its vectors a function of the text, its faults on demand."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.engines.listening import listening

DIMENSION = 8
MODEL = "acme/embed-small"

Fault = Callable[[BaseHTTPRequestHandler], None]


def vector_of(text: str) -> list[float]:
    return [byte / 255 + 0.01 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSION]]


class FaultyServer:
    """Both forms on one port. ``faults`` are spent one a request; ``change`` alters what would be answered."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.change: Callable[[object], object] = lambda answer: answer
        self.model = MODEL
        self.most = 32
        self.requests: list[tuple[str, dict[str, object], str]] = []
        self.released = threading.Event()
        self.url = ""

    def answer(self, path: str, body: dict[str, object]) -> object:
        if path == "/info":
            return {"model_id": self.model, "model_sha": "c0ffee", "max_client_batch_size": self.most}
        texts = body["inputs"] if path == "/embed" else body["input"]
        assert isinstance(texts, list)
        vectors = [vector_of(text) for text in texts]
        if path == "/embed":
            return vectors
        rows = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(vectors)]
        return {"object": "list", "model": self.model, "data": rows[::-1]}


def reply(handler: BaseHTTPRequestHandler, status: int, data: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in ({"content-type": "application/json"} | headers).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    served = FaultyServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._serve({})

        def do_POST(self) -> None:
            self._serve(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _serve(self, body: dict[str, object]) -> None:
            served.requests.append((self.path, body, self.headers.get("authorization", "")))
            if served.faults:
                served.faults.pop(0)(self)
                return
            texts = body.get("inputs") or body.get("input") or []
            if len(texts) > served.most:  # type: ignore[arg-type]
                reply(self, 413, b'{"error": "batch too large"}')
                return
            path = self.path.removeprefix("/v1")
            reply(self, 200, json.dumps(served.change(served.answer(path, body))).encode())

    with listening(Handler) as url:
        served.url = url
        try:
            yield served
        finally:
            served.released.set()
