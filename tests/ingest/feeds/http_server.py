"""A local HTTP server whose answers a test writes, and which remembers what it was asked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Reply:
    """One answer; ``announced`` is a Content-Length other than the body's own, ``chunked_cut`` ends mid-chunk.

    ``undelimited`` tells no length and closes, as old servers do.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    announced: int | None = None
    chunked_cut: bool = False
    undelimited: bool = False


@dataclass
class Asked:
    path: str
    headers: dict[str, str]


class Script:
    """Answers by path; a list is answered one by one, its last for ever."""

    def __init__(self) -> None:
        self.replies: dict[str, list[Reply] | Callable[[Asked], Reply]] = {}
        self.asked: list[Asked] = []
        self.url = ""

    def set(self, path: str, *replies: Reply) -> None:
        self.replies[path] = list(replies)

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        found = self.replies.get(asked.path)
        if found is None:
            return Reply(404)
        if callable(found):
            return found(asked)
        return found.pop(0) if len(found) > 1 else found[0]


@contextmanager
def serving() -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            reply = script.reply(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}))
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.chunked_cut:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b"%x\r\n" % (len(reply.body) + 100) + reply.body)
            elif reply.undelimited:
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(reply.body)
                self.close_connection = True
            else:
                length = len(reply.body) if reply.announced is None else reply.announced
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(reply.body)
            if reply.chunked_cut or reply.announced is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
