"""How one behaves at another's house: in turn, not too often, and with the cookies that house gave to this guest."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pipeline.domain.address import Address, FetchLimits
from pipeline.domain.errors import FetchFailed

Clock = Callable[[], float]  # seconds, monotonic
Sleep = Callable[[float], Awaitable[None]]

_MAX_LANES = 1_000
_MAX_JARS = 500
_MAX_COOKIES = 30  # per jar
_MAX_COOKIE = 4_096  # bytes of name and value
_COOKIE_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_COOKIE_VALUE = re.compile(r"[\x20-\x3a\x3c-\x7e]*")  # printable ASCII without the semicolon
_EPOCH = datetime(1971, 1, 1, tzinfo=UTC)


@dataclass
class _Lane:
    seats: asyncio.Semaphore
    next_start: float = 0.0
    guests: int = 0  # inside or waiting


class HostLanes:
    """One lane per host: so many at once, and a gap between two starts."""

    def __init__(self, limits: FetchLimits, *, clock: Clock, sleep: Sleep) -> None:
        self._limits, self._clock, self._sleep = limits, clock, sleep
        self._lanes: OrderedDict[str, _Lane] = OrderedDict()

    @asynccontextmanager
    async def turn(self, host: str, *, wait_s: float) -> AsyncIterator[None]:
        """Hold a seat in the lane of ``host``.

        Raises:
            FetchFailed: timeout; no turn within ``wait_s``.
        """
        lane = self._lane(host)
        lane.guests += 1
        try:
            deadline = self._clock() + wait_s
            try:
                async with asyncio.timeout(wait_s):
                    await lane.seats.acquire()
            except TimeoutError:
                raise self._too_busy(host) from None
            try:
                starts = max(self._clock(), lane.next_start)
                if starts > deadline:
                    raise self._too_busy(host)
                lane.next_start = starts + self._limits.host_gap_s
                if (pause_s := starts - self._clock()) > 0:
                    await self._sleep(pause_s)
                yield
            finally:
                lane.seats.release()
        finally:
            lane.guests -= 1

    def _too_busy(self, host: str) -> FetchFailed:
        return FetchFailed(host, "timeout", again=True, retry_after_s=self._limits.host_gap_s)

    def _lane(self, host: str) -> _Lane:
        if host not in self._lanes:
            idle = [h for h, lane in self._lanes.items() if not lane.guests and lane.next_start <= self._clock()]
            for name in idle[: len(self._lanes) - _MAX_LANES + 1] if len(self._lanes) >= _MAX_LANES else ():
                del self._lanes[name]
            self._lanes[host] = _Lane(asyncio.Semaphore(self._limits.host_at_once))
        self._lanes.move_to_end(host)
        return self._lanes[host]


@dataclass(frozen=True)
class _Cookie:
    value: str
    path: str
    secure: bool


@dataclass
class CookieJars:
    """Cookies of one owner at one host, in memory only. Another owner, another host: another jar.

    Domain attributes are not followed: what a host sets, only that host gets back.
    """

    _jars: OrderedDict[tuple[int, str], dict[str, _Cookie]] = field(default_factory=OrderedDict)

    def header(self, owner_id: int, address: Address) -> str:
        """Return the Cookie header for a request, "" for none."""
        jar = self._jars.get((owner_id, address.host), {})
        path = address.target.partition("?")[0]
        fitting = {
            n: c for n, c in jar.items() if _covers(c.path, path) and (address.scheme == "https" or not c.secure)
        }
        return "; ".join(f"{name}={cookie.value}" for name, cookie in fitting.items())

    def take(self, owner_id: int, address: Address, lines: Iterable[str], *, sent_at: datetime | None) -> None:
        """Keep what the ``Set-Cookie`` lines of an answer ask for; ``sent_at`` is its Date header."""
        for line in lines:
            name, cookie, gone = _parsed(line, address, sent_at)
            if cookie is None:
                continue
            jar = self._jars.setdefault((owner_id, address.host), {})
            jar.pop(name, None)
            if not gone:
                jar[name] = cookie
            while len(jar) > _MAX_COOKIES:
                del jar[next(iter(jar))]
            self._jars.move_to_end((owner_id, address.host))
        while len(self._jars) > _MAX_JARS:
            self._jars.popitem(last=False)


def _parsed(line: str, address: Address, sent_at: datetime | None) -> tuple[str, _Cookie | None, bool]:
    """Return name, cookie and whether it is taken back; no cookie where the line is none."""
    pair, *rest = line.split(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not equals or not _COOKIE_NAME.fullmatch(name) or not _COOKIE_VALUE.fullmatch(value):
        return name, None, False
    said = {k.strip().lower(): v.strip() for k, _, v in (part.partition("=") for part in rest)}
    if len(name) + len(value) > _MAX_COOKIE or ("secure" in said and address.scheme != "https"):
        return name, None, False
    path = said.get("path", "")
    default = address.target.partition("?")[0].rpartition("/")[0] or "/"
    cookie = _Cookie(value, path if path.startswith("/") else default, "secure" in said)
    return name, cookie, _is_over(said.get("max-age"), said.get("expires"), sent_at)


def _is_over(max_age: str | None, expires: str | None, sent_at: datetime | None) -> bool:
    if max_age is not None and re.fullmatch(r"-?\d{1,12}", max_age):
        return int(max_age) <= 0
    until = http_date(expires or "")
    return until is not None and until <= (sent_at or _EPOCH)


def http_date(text: str) -> datetime | None:
    """Return the instant of an HTTP date, aware, or None."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _covers(cookie_path: str, path: str) -> bool:
    return path == cookie_path or path.startswith(cookie_path if cookie_path.endswith("/") else f"{cookie_path}/")
