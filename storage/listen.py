"""LISTEN on one connection for the whole process; any number of waiters. A lost connection is made again.

A missed announcement costs a waiter its time-out, never a fact: everybody scans rows after waking.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

import asyncpg

from storage.tx import WAKE_CHANNEL

log = logging.getLogger(__name__)
RECONNECT_S = 0.5


class Listener:
    """Implements pipeline/ports/wake.Wake."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._changed = asyncio.Event()
        self._released = False
        self._task: asyncio.Task[None] | None = None
        self._connection: asyncpg.Connection | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._listen(), name="listen")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def wait(self, timeout_s: float) -> None:
        """Return at the next announcement, or after ``timeout_s``."""
        event = self._changed
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), timeout_s)

    async def announce(self, run_ids: tuple[int, ...]) -> None:
        """NOTIFY on the listening connection; nothing while there is none, since the scan finds the runs as well."""
        if not run_ids or self._connection is None or self._connection.is_closed():
            return
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await self._connection.execute(f"NOTIFY {WAKE_CHANNEL}")

    def release(self) -> None:
        """For stopping: whoever waits goes on at once, and no wait lasts from now on."""
        self._released = True
        self._changed.set()

    def _announce(self, *_: object) -> None:
        if self._released:
            return
        # Waiters hold the old event; whoever comes later waits on a fresh one.
        event, self._changed = self._changed, asyncio.Event()
        event.set()

    async def _listen(self) -> None:
        while True:
            try:
                connection = await asyncpg.connect(self._url, timeout=10)
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError) as error:
                log.debug("no listening connection yet: %s", type(error).__name__)
                await asyncio.sleep(RECONNECT_S)
                continue
            lost = asyncio.Event()
            connection.add_termination_listener(lambda _, lost=lost: lost.set())
            try:
                await connection.add_listener(WAKE_CHANNEL, self._announce)
                self._connection = connection
                self._announce()  # something may have been said while nobody listened
                await lost.wait()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                pass  # the server went between connecting and listening
            finally:
                self._connection = None
                with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
                    await connection.close(timeout=2)
