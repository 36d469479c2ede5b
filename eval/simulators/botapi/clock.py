"""The simulator's own time: real, faster by a factor, or moved by hand. Every limit, ban, age and wait goes by it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

START = 1_798_761_600.0  # 2027-01-01T00:00:00Z: where a clock that is moved by hand begins


class Clock:
    """Unix seconds from ``start_s`` on.

    Args:
        factor: simulated seconds per real second; 0 stands still until ``advance``.
        start_s: Unix time at which it begins; None: now, or ``START`` for a clock that stands still.
    """

    def __init__(self, *, factor: float = 1.0, start_s: float | None = None) -> None:
        if start_s is None:
            start_s = time.time() if factor else START
        self.factor, self._start_s, self._real_s, self._added_s = factor, start_s, time.monotonic(), 0.0
        self._sleepers: set[asyncio.Future[None]] = set()

    def now(self) -> float:
        return self._start_s + self._added_s + (time.monotonic() - self._real_s) * self.factor

    def advance(self, by_s: float) -> None:
        """Move time on; whoever slept until then wakes, and the others look at the clock and sleep on."""
        self._added_s += by_s
        for sleeper in list(self._sleepers):
            if not sleeper.done():
                sleeper.set_result(None)

    async def sleep(self, for_s: float) -> None:
        """Return when ``for_s`` simulated seconds are over."""
        until = self.now() + for_s
        while (left := until - self.now()) > 1e-6:
            sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._sleepers.add(sleeper)
            try:
                with suppress(TimeoutError):
                    await asyncio.wait_for(sleeper, left / self.factor if self.factor else None)
            finally:
                self._sleepers.discard(sleeper)

    async def wait(self, thing: Awaitable[Any], at_most_s: float) -> bool:
        """Whether ``thing`` came within ``at_most_s`` simulated seconds; if not, it is cancelled."""
        task, rest = asyncio.ensure_future(thing), asyncio.ensure_future(self.sleep(at_most_s))
        try:
            await asyncio.wait({task, rest}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()  # raises what it raised
            return task.done()
        finally:
            for one in (task, rest):
                one.cancel()
            await asyncio.gather(task, rest, return_exceptions=True)
