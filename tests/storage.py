"""Servers on localhost for tests of URLs: S3 by moto, and one that refuses, breaks off or serves by HTTP."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from threading import Thread
from typing import Any

import numpy as np
import pytest


def needed(name: str) -> Any:
    """Return a module of the extra dev: tests skip without it, but not in CI, where it must be there."""
    if os.environ.get("CI"):
        return import_module(name)
    return pytest.importorskip(name, reason="tests of URLs need the extra dev")


for package in ("fsspec", "s3fs", "aiohttp"):
    needed(package)
boto3, moto = needed("boto3"), needed("moto.server")


def pack(seed: int = 0) -> bytes:
    """A small pack of three members."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 300)
    votes = np.where(rng.random((3, 300)) < 0.2, 1 - labels, labels)
    buffer = io.BytesIO()
    np.savez(buffer, votes=votes, labels=labels)
    return buffer.getvalue()


@contextmanager
def s3_server() -> Iterator[str]:
    """Yield the address of an empty S3."""
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


class Bucket:
    """A bucket seen by boto3, which shares no code with what is tested."""

    def __init__(self, endpoint: str, name: str) -> None:
        self.name = name
        self.client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
        self.client.create_bucket(Bucket=name)

    def put(self, key: str, content: bytes) -> str:
        self.client.put_object(Bucket=self.name, Key=key, Body=content)
        return f"s3://{self.name}/{key}"

    def get(self, key: str) -> bytes:
        return bytes(self.client.get_object(Bucket=self.name, Key=key)["Body"].read())

    def keys(self) -> list[str]:
        found = self.client.list_objects_v2(Bucket=self.name).get("Contents", [])
        return [entry["Key"] for entry in found]


@contextmanager
def http_server(files: dict[str, bytes], asked: list[str] | None = None) -> Iterator[str]:
    """Yield the address of a server: files by name, `/refused/…` is 403, `/broken/…` ends half way, others are 404.

    Bodies that were sent are noted in `asked`.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, body: bool) -> None:
            path = self.path.partition("?")[0]
            content = files.get(path.rpartition("/")[2], b"")
            status = 403 if path.startswith("/refused/") else 200 if content else 404
            self.send_response(status)
            self.send_header("Content-Length", str(len(content) if status == 200 else 0))
            self.end_headers()
            if body and status == 200:
                if asked is not None:
                    asked.append(path)
                self.wfile.write(content[: len(content) // 2] if path.startswith("/broken/") else content)

        def log_message(self, *_: object) -> None:
            pass

    with _served(Handler) as address:
        yield address


@contextmanager
def cutting_server(behind: str, cut: str) -> Iterator[str]:
    """Yield the address of a server that hands all on to another, and breaks off bodies of requests of that method."""
    host = behind.removeprefix("http://")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # uploads wait until the server says that they may go on

        def handle_any(self) -> None:
            self.close_connection = True
            length = int(self.headers.get("Content-Length", 0))
            if self.command == cut:
                self.rfile.read(length // 2)
                return
            onward = HTTPConnection(host)
            onward.request(self.command, self.path, self.rfile.read(length), dict(self.headers))
            answer = onward.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding", "server", "date"):
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)
            onward.close()

        do_HEAD = do_GET = do_PUT = do_POST = do_DELETE = handle_any

        def log_message(self, *_: object) -> None:
            pass

    with _served(Handler) as address:
        yield address


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
