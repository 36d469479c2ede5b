"""A server on loopback that has one request per connection: what the simulators of the web and of speech stand on."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

# The other side may leave at any moment, and is meant to.
_LEFT = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError)


@dataclass(frozen=True)
class Request:
    """One request as it came: ``host`` is the Host header, header names are lower case."""

    method: str
    target: str
    host: str
    headers: Mapping[str, str]

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass
class Loopback:
    """``start`` gives the address, the same one after a ``stop``; with ``tls`` it speaks HTTPS."""

    tls: ssl.SSLContext | None = None
    port: int = 0
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    async def start(self) -> str:
        """Accept connections; what the simulator has counted is kept."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.address

    async def stop(self) -> None:
        """Refuse connections from now on, and end those that stand, however much they still have to say."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def serve_one(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; its body is still to be read."""
        raise NotImplementedError

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            with suppress(*_LEFT):
                await self.serve_one(_head(await reader.readuntil(b"\r\n\r\n")), reader, writer)
                await writer.drain()
        finally:
            writer.close()
            with suppress(*_LEFT):
                await writer.wait_closed()


def _head(data: bytes) -> Request:
    first, *lines = data.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    return Request(method, target, headers.get("host", ""), headers)
