"""A chat endpoint on the loopback for tests and benchmarks: real HTTP, answers and faults as its owner decides."""

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "test-model-1"


@dataclass
class Reply:
    """What the server sends. ``pieces`` are sent chunked; ``cut`` closes the connection before the body's end."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: Iterable[bytes] | None = None
    cut: bool = False
    hang: bool = False


def completion(text: str | None, **changes: Any) -> Reply:
    """A chat completion; ``changes`` overwrite keys of the response or, by ``finish_reason``, of its choice."""
    finish = changes.pop("finish_reason", "stop")
    message = {"role": "assistant", "content": text} | changes.pop("message", {})
    response = {
        "id": "c1",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200},
    } | changes
    kept = {key: value for key, value in response.items() if value is not ...}
    return Reply(body=json.dumps(kept).encode())


class ChatServer:
    """A server in a thread; ``behave`` maps a request's JSON to a reply. Use it as a context."""

    def __init__(self, behave: Callable[[dict[str, Any]], Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, behave))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The API's base."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def wait_for_end(self) -> None:
        """Blocks until the server is stopped: what a hanging handler does."""
        self._ended.wait()

    def __enter__(self) -> "ChatServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(owner: ChatServer, behave: Callable[[dict[str, Any]], Reply]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            owner.requests.append(asked)
            owner.headers.append(dict(self.headers.items()))
            reply = behave(asked) if self.path.endswith("/v1/chat/completions") else Reply(404)
            if reply.hang:
                owner.wait_for_end()
                return
            try:
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            if reply.pieces is not None:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for piece in reply.pieces:
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    self.wfile.flush()
                if not reply.cut:
                    self.wfile.write(b"0\r\n\r\n")
            else:
                self.send_header("Content-Length", str(len(reply.body) + (50 if reply.cut else 0)))
                self.end_headers()
                self.wfile.write(reply.body)
            self.wfile.flush()
            self.close_connection = reply.cut or self.close_connection

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler
