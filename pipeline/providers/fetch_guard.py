"""The one door to the web (rule SRC-6): every address checked on every hop, everything it may cost bounded.

On httpcore rather than httpx: the address is read once, by pipeline/domain/address.py, and handed on in its parts, so
that no second parser can understand it differently; redirects, unpacking and cookies need limits of their own anyway.
Proxy variables of the environment are never read. Nothing is tried twice here: the run's ledger does that.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime

import httpcore

from pipeline.domain.address import Address, FetchLimits, check_address, redirected
from pipeline.domain.errors import FetchFailed, InputRejected
from pipeline.domain.robots import RobotsRule, robots_allow, robots_rules
from pipeline.domain.source import Reason
from pipeline.ports.fetch import Fetched
from pipeline.providers.fetch_manners import Clock, CookieJars, HostLanes, Sleep, http_date
from pipeline.providers.fetch_network import CheckedNetwork, Dial, Resolve, SystemResolver, dial_tcp
from pipeline.providers.fetch_unpack import KNOWN, Unpacker, too_large

PRODUCT = "Earmark"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_RETRY_AFTER_S = 24 * 3_600.0
_MAX_VALIDATOR = 1_000  # characters of an ETag
_ROBOTS_KEPT = 500  # origins
_ROBOTS_FRESH_S = 24 * 3_600.0
_ROBOTS_FAILED_S = 600.0
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True)
class _Answer:
    """One hop: either ``data``, whole, or ``location``, where to go on."""

    status: int
    headers: dict[str, str]  # names in lower case; several lines of one name joined by ", "
    data: bytes = b""
    location: str | None = None


class GuardedFetcher:
    """Fetches pages for owners; one per process, so that lanes and robots are shared. Cookies never are.

    Args:
        limits: of one fetch.
        exempt: ``host:port`` pairs, as the owner configured them, that may be private and on any port. Whoever can
            send a link reaches what stands here, and reads what it answers: name single services, never a router, a
            metadata service or the product itself. The composition root passes none by default.
        version: of the product, for the User-Agent.
        tls: certificates to trust; None: the packaged public ones.
        resolve, dial, clock, sleep: the outside world, for tests.
    """

    def __init__(
        self,
        limits: FetchLimits | None = None,
        *,
        exempt: frozenset[str] = frozenset(),
        version: str = "0",
        tls: ssl.SSLContext | None = None,
        resolve: Resolve | None = None,
        dial: Dial = dial_tcp,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._limits = limits or FetchLimits()
        self._exempt = exempt
        self._headers = {
            "User-Agent": f"Mozilla/5.0 (compatible; {PRODUCT}/{version})",
            "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8",
            "Accept-Encoding": ", ".join(KNOWN),
        }
        self._tls = tls or httpcore.default_ssl_context()
        self._resolve, self._dial, self._clock = resolve or SystemResolver(), dial, clock
        self._lanes = HostLanes(self._limits, clock=clock, sleep=sleep)
        self._cookies = CookieJars()
        self._robots: OrderedDict[str, tuple[float, tuple[RobotsRule, ...] | str]] = OrderedDict()

    async def fetch(self, address: str, *, owner_id: int, max_bytes: int | None = None) -> Fetched:
        """Fetch one page. A turn in its host's lane may take ``wait_s`` before the ``total_s`` of the fetch begin.

        Raises:
            InputRejected: ADDRESS_REFUSED, FETCH_TOO_LARGE, TOO_MANY_REDIRECTS.
            FetchFailed: no answer, or one that is not 2xx.
        """
        start = self._checked(address)
        limit = min(max_bytes or self._limits.max_bytes, self._limits.max_bytes)
        async with AsyncExitStack() as turn:
            await turn.enter_async_context(self._lanes.turn(start.host, wait_s=self._limits.wait_s))
            deadline = self._clock() + self._limits.total_s
            with _one_error(start.host):
                async with asyncio.timeout(self._limits.total_s):
                    answer, final, way = await self._follow(start, owner_id=owner_id, limit=limit, turn=turn)
            robots = await self._robots_of(final, min(self._limits.robots_s, deadline - self._clock()))
        kind = answer.headers.get("content-type", "")
        charset = _CHARSET.search(kind)
        return Fetched(
            address=address,
            final_address=str(final),
            redirects=way,
            status=answer.status,
            media_type=kind.partition(";")[0].strip().lower()[:100],
            charset=charset[1].lower() if charset else None,
            data=answer.data,
            robots=robots,
            etag=answer.headers.get("etag", "")[:_MAX_VALIDATOR] or None,
            last_modified=answer.headers.get("last-modified", "")[:_MAX_VALIDATOR] or None,
        )

    def _checked(self, url: str) -> Address:
        return check_address(url, limits=self._limits, exempt=self._exempt)

    async def _follow(
        self, address: Address, *, owner_id: int | None, limit: int, turn: AsyncExitStack | None
    ) -> tuple[_Answer, Address, tuple[str, ...]]:
        """Go where the redirects lead, each checked like the first; change lanes with the host, if in one."""
        way: list[str] = []
        while True:
            with _one_error(address.host):
                answer = await self._once(address, owner_id=owner_id, limit=limit)
            if answer.location is None:
                return answer, address, tuple(way)
            if len(way) == self._limits.max_redirects:
                raise InputRejected(Reason.TOO_MANY_REDIRECTS, limit=self._limits.max_redirects)
            host, address = address.host, self._checked(redirected(address, answer.location))
            way.append(str(address))
            if turn is not None and host != address.host:
                await turn.aclose()
                await turn.enter_async_context(self._lanes.turn(address.host, wait_s=self._limits.total_s))

    async def _once(self, address: Address, *, owner_id: int | None, limit: int) -> _Answer:
        """Ask once, on a connection of its own: nothing of one owner's is left on it for another."""
        exempt = f"{address.host}:{address.port}" in self._exempt
        network = CheckedNetwork(self._resolve, self._dial, exempt=exempt, connect_s=self._limits.connect_s)
        wait = {"connect": self._limits.connect_s} | dict.fromkeys(("read", "write", "pool"), self._limits.total_s)
        headers = {"Host": address.netloc, **self._headers}
        if owner_id is not None and (cookies := self._cookies.header(owner_id, address)):
            headers["Cookie"] = cookies
        url = httpcore.URL(
            scheme=address.scheme.encode(),
            host=address.host.strip("[]").encode(),
            port=address.port,
            target=address.target.encode(),
        )
        async with (
            httpcore.AsyncConnectionPool(ssl_context=self._tls, network_backend=network, max_connections=1) as pool,
            pool.stream(
                b"GET",
                url,
                headers=[(k.encode(), v.encode()) for k, v in headers.items()],
                extensions={"timeout": wait},
            ) as response,
        ):
            found = _Fields(response.headers)
            if owner_id is not None:
                self._cookies.take(owner_id, address, found.lines("set-cookie"), sent_at=found.sent_at)
            if response.status in _REDIRECTS and (location := found.first("location")):
                return _Answer(response.status, found.joined(), location=location)
            if not 200 <= response.status < 300 or response.status == 206:  # a part that nobody asked for
                raise _failed(address.host, response.status, found)
            data = await _body(response, address.host, found, limit)
            return _Answer(response.status, found.joined(), data)

    async def _robots_of(self, address: Address, left_s: float) -> str:
        """Return ``allowed | disallowed | none | unknown`` for ``address``; asks its origin once a day at most."""
        kept = self._robots.get(address.origin)
        if kept is None or kept[0] <= self._clock():
            said = await self._ask_robots(address, left_s)
            fresh_s = _ROBOTS_FAILED_S if said == "unknown" else _ROBOTS_FRESH_S
            kept = self._robots[address.origin] = (self._clock() + fresh_s, said)
            self._robots.move_to_end(address.origin)
            while len(self._robots) > _ROBOTS_KEPT:
                self._robots.popitem(last=False)
        if isinstance(kept[1], str):
            return kept[1]
        return "allowed" if robots_allow(kept[1], address.target) else "disallowed"

    async def _ask_robots(self, address: Address, left_s: float) -> tuple[RobotsRule, ...] | str:
        where = Address(address.scheme, address.host, address.port, "/robots.txt")
        try:
            async with asyncio.timeout(max(0.0, left_s)):
                answer, _, _ = await self._follow(where, owner_id=None, limit=self._limits.robots_bytes, turn=None)
        except FetchFailed as error:
            # RFC 9309: a client error means that there is no such file.
            return "none" if error.status is not None and 400 <= error.status < 500 else "unknown"
        except (InputRejected, TimeoutError):
            return "unknown"
        return robots_rules(answer.data.decode("utf-8", "replace"), PRODUCT)


class _Fields:
    """The header fields of an answer, as text."""

    def __init__(self, headers: list[tuple[bytes, bytes]]) -> None:
        self._all = [(k.decode("ascii", "replace").lower(), _text(v)) for k, v in headers]

    def lines(self, name: str) -> list[str]:
        return [v for k, v in self._all if k == name]

    def first(self, name: str) -> str:
        return next(iter(self.lines(name)), "")

    def joined(self) -> dict[str, str]:
        fields: dict[str, list[str]] = {}
        for name, value in self._all:
            fields.setdefault(name, []).append(value)
        return {name: ", ".join(values) for name, values in fields.items()}

    @property
    def sent_at(self) -> datetime | None:
        return http_date(self.first("date"))


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


async def _body(response: httpcore.Response, host: str, found: _Fields, limit: int) -> bytes:
    """Read and unpack the body under ``limit``, on the wire and unpacked.

    Raises:
        InputRejected: FETCH_TOO_LARGE, as soon as it is known.
        FetchFailed: broken.
    """
    announced = found.first("content-length")
    if announced.isascii() and announced.isdigit() and int(announced[:19]) > limit:
        raise too_large(limit)
    wire = 0
    parts: list[bytes] = []
    try:
        unpacker = Unpacker(", ".join(found.lines("content-encoding")), limit)
        async for piece in response.aiter_stream():
            wire += len(piece)
            if wire > limit:
                raise too_large(limit)
            parts.append(unpacker.feed(piece))
        unpacker.finish()
    except httpcore.RemoteProtocolError as error:  # it ended before its end
        raise FetchFailed(host, "broken", again=True) from error
    except ValueError as error:
        raise FetchFailed(host, "broken") from error
    return b"".join(parts)


def _failed(host: str, status: int, found: _Fields) -> FetchFailed:
    again = status == 429 or status >= 500
    return FetchFailed(host, "status", status=status, again=again, retry_after_s=_retry_after_s(found))


def _retry_after_s(found: _Fields) -> float | None:
    """Seconds of a Retry-After; a date in it counts from the answer's own Date, so that clocks need not agree."""
    said = found.first("retry-after").strip()
    if re.fullmatch(r"[0-9]{1,9}", said):
        wait_s = float(said)
    elif (at := http_date(said)) and (sent_at := found.sent_at):
        wait_s = (at - sent_at).total_seconds()
    else:
        return None
    return min(max(wait_s, 0.0), _MAX_RETRY_AFTER_S)


@contextmanager
def _one_error(host: str) -> Iterator[None]:
    """Translate the library's errors, here and nowhere else."""
    try:
        yield
    except (TimeoutError, httpcore.TimeoutException) as error:
        raise FetchFailed(host, "timeout", again=True) from error
    except httpcore.ConnectError as error:
        if _is_tls(error):
            raise FetchFailed(host, "tls") from error
        raise FetchFailed(host, "connect", again=True) from error
    except httpcore.RemoteProtocolError as error:
        # By itself: the connection ended before an answer began. Over an error of the protocol: it is no HTTP, or its
        # headers have no end, and will be so again. (The pool cuts the cause off, the context stays.)
        raise FetchFailed(host, "broken", again=error.__context__ is None) from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise FetchFailed(host, "broken", again=isinstance(error, httpcore.NetworkError)) from error


def _is_tls(error: BaseException) -> bool:
    """Whether a connection failed over its certificate or protocol, not because it ended."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return not isinstance(cause, ssl.SSLEOFError)
        cause = cause.__cause__ or cause.__context__
    return False
