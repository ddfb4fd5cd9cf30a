"""A server on localhost that serves bytes whole, cut short or changed, and counts before it answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread


@dataclass
class Served:
    """What is served under any path; `cuts[k]` bytes of the k-th answer are sent, then the line is closed."""

    content: bytes
    cuts: list[int | None] = field(default_factory=list)
    ranges: bool = True
    status: int | None = None
    seen: list[str] = field(default_factory=list)  # the Range of each request, "" for none
    lock: Lock = field(default_factory=Lock)


@contextmanager
def serve(served: Served) -> Iterator[str]:
    """The address of a running server; it is closed at the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with served.lock:
                number = len(served.seen)
                served.seen.append(self.headers.get("Range", ""))
            cut = served.cuts[number] if number < len(served.cuts) else None
            answer(self, served, cut)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answer(handler: BaseHTTPRequestHandler, served: Served, cut: int | None) -> None:
    asked = handler.headers.get("Range", "")
    start = int(asked[len("bytes=") : -1]) if asked and served.ranges else 0
    total = len(served.content)
    if served.status is not None or start >= total:
        handler.send_response(served.status or 416)
        handler.send_header("Content-Range", f"bytes */{total}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    handler.send_response(206 if asked and served.ranges else 200)
    if asked and served.ranges:
        handler.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
    handler.send_header("Content-Length", str(total - start))
    handler.end_headers()
    body = served.content[start:]
    handler.wfile.write(body if cut is None else body[:cut])
