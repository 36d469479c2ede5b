"""A web server on loopback that serves any page and misbehaves on purpose; tests and journeys share it.

``web.serve("/a", page(b"..."))`` puts an answer at a path (of one host, or of all); every request is counted in
``web.requests``, whatever became of it. Nothing is deduplicated, cached or kept alive: one request per connection.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from eval.simulators.loopback import Loopback, Request

_REASONS = {200: "OK", 204: "No Content", 302: "Found", 304: "Not Modified", 404: "Not Found", 429: "Too Many Requests"}
_DATE = "Mon, 02 Mar 2026 08:00:00 GMT"  # of every answer: the server has no clock
_BLOCK = 64 * 1024


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class SimulatedWeb(Loopback):
    """Serves what it was given; paths that nobody serves are 404."""

    requests: list[Request] = field(default_factory=list)
    _answers: dict[tuple[str, str], Answer] = field(default_factory=dict)

    def serve(self, path: str, answer: Answer, *, host: str = "") -> str:
        """Put ``answer`` at ``path`` of ``host`` ("": of every host), and return its address on loopback."""
        self._answers[host, path] = answer
        return f"{self.address}{path}"

    def asked(self, path: str) -> list[Request]:
        """Requests of a path so far, query or not."""
        return [r for r in self.requests if r.path == path]

    async def serve_one(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append(request)
        own, any_host = self._answers.get((request.host, request.path)), self._answers.get(("", request.path))
        await (own or any_host or page(status=404))(request, writer)


@asynccontextmanager
async def simulated_web(tls: ssl.SSLContext | None = None) -> AsyncIterator[SimulatedWeb]:
    web = SimulatedWeb(tls)
    await web.start()
    try:
        yield web
    finally:
        await web.stop()


def _head(status: int, headers: Mapping[str, str], *more: tuple[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}", f"Date: {_DATE}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in (*headers.items(), *more)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


def page(
    body: bytes = b"",
    *,
    status: int = 200,
    media_type: str = "text/html; charset=utf-8",
    headers: Mapping[str, str] | None = None,
    cookies: tuple[str, ...] = (),
) -> Answer:
    """Return an honest answer. ``cookies`` are Set-Cookie lines; headers may replace the media type."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        fields = {"Content-Type": media_type, "Content-Length": str(len(body)), **(headers or {})}
        if status in (204, 304):
            fields.pop("Content-Length")
        writer.write(_head(status, fields, *(("Set-Cookie", c) for c in cookies)) + body)

    return answer


def redirect(to: str, *, status: int = 302, cookies: tuple[str, ...] = ()) -> Answer:
    return page(status=status, headers={"Location": to}, cookies=cookies)


def fresh(body: bytes, *, etag: str) -> Answer:
    """Return an answer that knows If-None-Match."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        same = request.headers.get("if-none-match") == etag
        await page(b"" if same else body, status=304 if same else 200, headers={"ETag": etag})(request, writer)

    return answer


def packed(body: bytes, *, coding: str, cut: int = 0) -> Answer:
    """Return an answer packed as ``coding`` says ("gzip", "deflate, gzip", "raw-deflate"), less its last bytes."""
    data = body
    for name in (n.strip() for n in coding.split(",")):
        if name == "gzip":
            data = gzip.compress(data, 6, mtime=0)
        elif name == "deflate":
            data = zlib.compress(data)
        elif name == "raw-deflate":
            data = zlib.compress(data)[2:-4]
    data = data[: len(data) - cut]
    return page(data, headers={"Content-Encoding": coding.replace("raw-", "")})


def bomb(size_bytes: int, *, layers: int = 1) -> Answer:
    """Return an answer that unpacks to ``size_bytes`` of nothing."""
    return packed(bytes(size_bytes), coding=", ".join(["gzip"] * layers))


def endless(*, chunked: bool = True) -> Answer:
    """Return a body without an end, as fast as it is read."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, {"Transfer-Encoding": "chunked"} if chunked else {}))
        block = b"<p>more</p>" * (_BLOCK // 11)
        while True:
            writer.write(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
            await writer.drain()

    return answer


def drip(*, head: bool, every_s: float) -> Answer:
    """Return one byte at a time, of the headers or of the body, for ever."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: " if head else _head(200, {"Content-Length": "100000"}))
        while True:
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(every_s)

    return answer


def lying(body: bytes, *, length: str) -> Answer:
    """Return ``body`` under another Content-Length, and close."""
    return page(body, headers={"Content-Length": length})


def reset(body: bytes, *, announced: int) -> Answer:
    """Return the beginning of a body, and then a reset instead of the rest."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, {"Content-Length": str(announced)}) + body)
        await writer.drain()
        raw: socket.socket = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return answer


def silent() -> Answer:
    """Take the request and never answer."""

    async def answer(_: Request, __: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    return answer


def raw(data: bytes) -> Answer:
    """Return exactly these bytes (none: hang up), HTTP or not."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return answer


def big_headers(size_bytes: int, *, lines: int = 1) -> Answer:
    """Return headers of ``size_bytes`` in so many lines, before a short page."""
    value = "a" * (size_bytes // lines)
    return page(b"<p>short</p>", headers={f"X-Big-{n}": value for n in range(lines)})
