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
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_REASONS = {200: "OK", 204: "No Content", 302: "Found", 304: "Not Modified", 404: "Not Found", 429: "Too Many Requests"}
_DATE = "Mon, 02 Mar 2026 08:00:00 GMT"  # of every answer: the server has no clock
_BLOCK = 64 * 1024


@dataclass(frozen=True)
class Request:
    """One request as it came: ``host`` is the Host header, header names are lower case."""

    method: str
    target: str
    host: str
    headers: Mapping[str, str]


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class SimulatedWeb:
    """``start`` gives the address; with ``tls`` it speaks HTTPS. Paths that nobody serves are 404."""

    tls: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)
    port: int = 0
    _answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def serve(self, path: str, answer: Answer, *, host: str = "") -> str:
        """Put ``answer`` at ``path`` of ``host`` ("": of every host), and return its address on loopback."""
        self._answers[host, path] = answer
        return f"{self.address}{path}"

    def asked(self, path: str) -> list[Request]:
        """Requests of a path so far, query or not."""
        return [r for r in self.requests if r.target.partition("?")[0] == path]

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.address

    async def stop(self) -> None:
        """End every connection, however much it still has to say."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            # The other side may leave at any moment, and is meant to.
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
                request = _read(await reader.readuntil(b"\r\n\r\n"))
                self.requests.append(request)
                path = request.target.partition("?")[0]
                answer = self._answers.get((request.host, path)) or self._answers.get(("", path)) or page(status=404)
                await answer(request, writer)
                await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError, ssl.SSLError, asyncio.CancelledError):
                await writer.wait_closed()


@asynccontextmanager
async def simulated_web(tls: ssl.SSLContext | None = None) -> AsyncIterator[SimulatedWeb]:
    web = SimulatedWeb(tls)
    await web.start()
    try:
        yield web
    finally:
        await web.stop()


def _read(head: bytes) -> Request:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    return Request(method, target, headers.get("host", ""), headers)


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
