"""A chat endpoint that streams what a test wants, over real HTTP on loopback, and notes when its client went away."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.engines.listening import listening


@dataclass
class StreamServer:
    """What the next answers are: pieces of text, the model that each carries, and how the stream ends.

    ``models`` gives the model of the first pieces, the last one that of all others.
    """

    pieces: list[str] = field(default_factory=list)
    models: list[str | None] = field(default_factory=lambda: ["acme-1"])
    finish: str | None = "stop"
    usage: dict[str, int] | None = None
    status: int = 200
    pause: float = 0.0
    hang: bool = False
    raw: list[str] = field(default_factory=list)
    sent: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def events(self) -> Iterator[str]:
        yield from self.raw
        for place, piece in enumerate(self.pieces):
            model = self.models[min(place, len(self.models) - 1)]
            event: dict[str, Any] = {"choices": [{"delta": {"content": piece}, "finish_reason": None}]}
            yield json.dumps(event | ({"model": model} if model else {}))
        if self.finish:
            end = {"model": self.models[-1], "choices": [{"delta": {}, "finish_reason": self.finish}]}
            yield json.dumps(end | ({"usage": self.usage} if self.usage else {}))


@contextmanager
def stream_server() -> Iterator[StreamServer]:
    served = StreamServer()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            served.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(served.status)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            try:
                for event in served.events():
                    self.wfile.write(f"data: {event}\n\n".encode())
                    self.wfile.flush()
                    served.sent += 1
                    time.sleep(served.pause)
                if served.hang:
                    served.released.wait(30)
                if served.finish:
                    self.wfile.write(b"data: [DONE]\n\n")
            except OSError:
                served.left.set()

    with listening(Handler) as url:
        served.url = f"{url}/v1"
        try:
            yield served
        finally:
            served.released.set()
