"""What stands for Slack and ntfy in drills and tests: a local HTTP server that keeps what it is given and can fail."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl


@dataclass
class SlackServer:
    """A workspace.

    Attributes:
        url: where its API is.
        messages: what was posted, with metadata, newest last.
        calls: every method that was called, in order.
        faults: by method, answers that come before the true one: a status with headers and body, or ``drop`` to keep
            the message and break the connection.
        is_down: whether every call breaks the connection.
        words: what ntfy was given: headers and text.
    """

    url: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    faults: dict[str, list[tuple[int, dict[str, str], str] | str]] = field(default_factory=dict)
    is_down: bool = False
    words: list[tuple[dict[str, str], str]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """What an operator reads."""
        return ["\n".join(block["text"]["text"] for block in message["blocks"]) for message in self.messages]

    def keep(self, form: dict[str, Any]) -> dict[str, Any]:
        """Keeps a message and answers as Slack does."""
        stamp = f"{1_700_000_000 + len(self.messages)}.000100"
        blocks, metadata = form.get("blocks", "[]"), form.get("metadata", "{}")
        self.messages.append(
            form
            | {
                "ts": stamp,
                "blocks": json.loads(blocks) if isinstance(blocks, str) else blocks,
                "metadata": json.loads(metadata) if isinstance(metadata, str) else metadata,
            }
        )
        return {"ok": True, "ts": stamp}


@contextmanager
def slack_server() -> Iterator[SlackServer]:
    """A workspace on a free port."""
    state = SlackServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Answers a call of the API, or takes ntfy's word."""
            body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            method = self.path.rpartition("/")[2]
            if method == "topic":
                state.words.append((dict(self.headers), body))
                return self._answer(200, {}, {"id": "1"})
            state.calls.append(method)
            if state.is_down:
                return self._drop()
            is_json = "json" in self.headers.get("Content-Type", "")
            form = json.loads(body or "{}") if is_json else dict(parse_qsl(body))
            fault = state.faults[method].pop(0) if state.faults.get(method) else None
            if fault == "drop":
                state.keep(form)
                return self._drop()
            if isinstance(fault, tuple):
                return self._answer(fault[0], fault[1], fault[2])
            if method == "chat.postMessage":
                return self._answer(200, {}, state.keep(form))
            if method == "conversations.history":
                return self._answer(200, {}, {"ok": True, "messages": state.messages[::-1]})
            return self._answer(200, {}, {"ok": True})

        def _drop(self) -> None:
            self.close_connection = True
            self.connection.close()

        def _answer(self, status: int, headers: dict[str, str], content: object) -> None:
            text = content if isinstance(content, str) else json.dumps(content)
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json"} | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

        def handle(self) -> None:
            """Takes a connection that was broken on purpose for what it is."""
            try:
                super().handle()
            except (OSError, ValueError):
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()
