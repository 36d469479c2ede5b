"""Updates that wait for the bot: kept for a day, confirmed by a higher offset, for one poller or for the webhook."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.errors import ApiError, refused
from eval.simulators.botapi.limits import Limits

NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
_MOST = 100


@dataclass
class Update:
    """One update; ``lane`` is the chat it belongs to, in which a webhook keeps the order."""

    update_id: int
    at: float
    lane: int
    body: dict[str, Any]


@dataclass
class Updates:
    """``hooked`` is whether a webhook is set, which excludes polling."""

    clock: Clock
    limits: Limits
    next_id: int = 870_000_001
    hooked: bool = False
    allowed: frozenset[str] = frozenset()  # empty: all but NOT_BY_DEFAULT
    waiting: list[Update] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _poller: asyncio.Future[ApiError] | None = None

    def add(self, kind: str, body: object, *, lane: int = 0) -> int:
        """Queue an update if the bot wants its kind; its id, or 0."""
        if kind in NOT_BY_DEFAULT - self.allowed or (self.allowed and kind not in self.allowed):
            return 0
        return self.add_raw({kind: body}, lane=lane)

    def add_raw(self, body: dict[str, Any], *, lane: int = 0) -> int:
        """Queue an update as it is, known or not, well formed or not; ``update_id`` is put in where it is missing."""
        update_id = int(body.get("update_id", self.next_id))
        self.next_id = max(self.next_id, update_id + 1)
        self.waiting.append(Update(update_id, self.clock.now(), lane, {"update_id": update_id, **body}))
        self.arrived.set()
        return update_id

    def allow(self, kinds: Iterable[str] | None) -> None:
        """Remember what the bot wants from now on; None leaves it, nothing at all is the default."""
        if kinds is not None:
            self.allowed = frozenset(kinds)

    def pending(self) -> list[Update]:
        """Return those that are not too old."""
        oldest = self.clock.now() - self.limits.update_age_s
        self.waiting = [u for u in self.waiting if u.at > oldest]
        return self.waiting

    def confirm(self, *, below: int) -> None:
        self.waiting = [u for u in self.waiting if u.update_id >= below]

    def remove(self, update: Update) -> None:
        self.waiting = [u for u in self.waiting if u is not update]

    async def poll(self, *, offset: int, limit: int, timeout_s: float) -> list[dict[str, Any]]:
        """Answer getUpdates.

        Raises:
            ApiError: 409 while a webhook is set, and when another poller (or a webhook) comes during the wait.
        """
        if self.hooked:
            raise refused(
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
                409,
            )
        self.interrupt("terminated by other getUpdates request; make sure that only one bot instance is running")
        if offset > 0:
            self.confirm(below=offset)
        elif offset < 0 and (last := self.pending()[offset:]):
            self.confirm(below=last[0].update_id)
        if not self.pending() and timeout_s > 0:
            await self._wait(timeout_s)
        return [u.body for u in self.pending()[: limit if 1 <= limit <= _MOST else _MOST]]

    def interrupt(self, why: str) -> None:
        """End the wait of whoever polls with a conflict."""
        if self._poller is not None and not self._poller.done():
            self._poller.set_result(refused(why, 409))

    async def _wait(self, timeout_s: float) -> None:
        mine: asyncio.Future[ApiError] = asyncio.get_running_loop().create_future()
        self._poller = mine
        until = self.clock.now() + timeout_s
        while not self.pending() and not mine.done() and (left := until - self.clock.now()) > 0:
            self.arrived.clear()
            await self.clock.wait(self._either(mine), left)
        if mine.done():
            raise mine.result()
        mine.cancel()

    async def _either(self, mine: asyncio.Future[ApiError]) -> None:
        arrived = asyncio.ensure_future(self.arrived.wait())
        either: set[asyncio.Future[Any]] = {arrived, mine}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            arrived.cancel()
