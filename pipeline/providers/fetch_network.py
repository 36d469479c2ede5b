"""From a name to a connection: looked up once, every address checked, a checked one dialled (rule SRC-6).

The check and the use are one step, so a name whose answer changes between them gains nothing. Certificates and the
Host header keep the name.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import httpcore

from pipeline.domain.address import refused
from pipeline.domain.errors import FetchFailed
from pipeline.domain.hosts import is_public

Resolve = Callable[[str, int], Awaitable[list[str]]]
Dial = Callable[[str, int, float], Awaitable[httpcore.AsyncNetworkStream]]

_TRIED = 4  # addresses of one name
_LOOKUPS = 8  # threads; a resolver that hangs holds one of these and nobody else's
_FOR_GOOD = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


class SystemResolver:
    """The system's own resolver, in threads that nothing else waits for."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="resolve")

    async def __call__(self, host: str, port: int) -> list[str]:
        """Return the addresses of ``host`` as text, in the system's order of preference.

        Raises:
            FetchFailed: dns.
        """
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, _look_up, host, port)
        except socket.gaierror as error:
            raise FetchFailed(host, "dns", again=error.errno not in _FOR_GOOD) from error
        except UnicodeError as error:  # a label that the system's IDNA does not take
            raise FetchFailed(host, "dns") from error
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _look_up(host: str, port: int) -> list[tuple[object, object, object, str, tuple[object, ...]]]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)  # type: ignore[return-value]  # typeshed's is wider


async def dial_tcp(address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
    """Connect to an IP address.

    Raises:
        httpcore.ConnectError, httpcore.ConnectTimeout
    """
    return await httpcore.AnyIOBackend().connect_tcp(address, port, timeout=timeout_s)


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only, or, ``exempt``, to whatever the name means."""

    def __init__(self, resolve: Resolve, dial: Dial, *, exempt: bool, connect_s: float) -> None:
        self._resolve, self._dial, self._exempt, self._connect_s = resolve, dial, exempt, connect_s

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 — the library's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Raises InputRejected (ADDRESS_REFUSED, private) if any address of ``host`` is not public."""
        addresses = await self._addresses(host, port)
        tried = addresses[:_TRIED]
        for address in tried[:-1]:
            try:
                return await self._dial(address, port, self._connect_s / len(tried))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._dial(tried[-1], port, self._connect_s / len(tried))

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 — the library's signature
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise refused("scheme")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _addresses(self, host: str, port: int) -> list[str]:
        try:
            found = [str(ipaddress.ip_address(host))]
        except ValueError:
            found = await self._resolve(host, port)
        if not found:
            raise FetchFailed(host, "dns")
        # One private address among public ones condemns them all: whose turn it is would be the name's owner's choice.
        if not self._exempt and not all(is_public(ipaddress.ip_address(a)) for a in found):
            raise refused("private", host)
        return found
