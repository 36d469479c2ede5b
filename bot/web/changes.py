"""A bell for open pages: whoever hears that something changed rings it, every stream then looks at its own rows.

Ringing carries no content and may be lost: a stream also looks by itself at every heartbeat (rule RUN-7).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Listener:
    """One open stream. Implements pipeline/ports/wake.py ``Wake``."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when the bell rang since the last wait, or after ``timeout_s``."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._rung.wait()
        except TimeoutError:
            return
        self._rung.clear()


class Bell:
    """Rung by the process's one LISTEN connection; ``close`` ends every stream, so that a server can stop."""

    def __init__(self) -> None:
        self._listeners: dict[Listener, int] = {}
        self.closed = False

    def ring(self, chat_id: int | None = None) -> None:
        """Wake the streams of ``chat_id``; None wakes all, for announcements that name no chat."""
        for listener, of in self._listeners.items():
            if chat_id is None or of == chat_id:
                listener.ring()

    def close(self) -> None:
        self.closed = True
        self.ring()

    @contextmanager
    def listening(self, chat_id: int) -> Iterator[Listener]:
        """Register before reading: what changes between a read and the wait then ends the wait at once."""
        listener = Listener()
        self._listeners[listener] = chat_id
        try:
            yield listener
        finally:
            del self._listeners[listener]
