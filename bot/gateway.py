"""Outbox rows → screens → channel: one sender per channel (rules CHT-2, CHT-3, CHT-7).

A row is claimed, rendered from one consistent read, delivered, settled. A process that dies between two of these
leaves a row that ``recover`` puts right when the next gateway starts.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.port import Channel, Outbound, OutboxItem, Target
from bot.screens.render import Renderer
from pipeline.domain.errors import Contention
from pipeline.ports.clock import Clock
from pipeline.ports.wake import Wake
from storage.transactions.outbox.claim import claim
from storage.transactions.outbox.settle import failed, recover, sent
from storage.tx import Row, transaction

log = logging.getLogger(__name__)
IDLE_S = 1.0


class Gateway:
    """The sender of one channel."""

    def __init__(
        self,
        engine: AsyncEngine,
        channel: Channel,
        renderer: Renderer,
        *,
        clock: Clock,
        wake: Wake,
        crash: Callable[[str], None],
    ) -> None:
        self._engine, self._channel, self._renderer = engine, channel, renderer
        self._clock, self._wake, self._crash = clock, wake, crash

    async def serve(self, stopping: asyncio.Event) -> None:
        """Send until ``stopping``; after any trouble with the database, first look for what it left half sent."""
        recovered = False
        while not stopping.is_set():
            try:
                if not recovered:
                    async with transaction(self._engine) as tx:
                        await recover(tx, channel=self._channel.name, idempotent=self._channel.idempotent)
                    recovered = True
                if not await self.send_one():
                    await self._wake.wait(IDLE_S)
            except (OSError, Contention) as error:
                log.warning("gateway %s waits: %s", self._channel.name, type(error).__name__)
                recovered = False  # what was on its way when the connection went is put right first
                await asyncio.sleep(0.5)

    async def send_one(self) -> bool:
        """Send the next due message. False when there is none.

        Raises:
            OSError, Contention: the database is away or busy; the message is sent after ``recover``.
        """
        async with transaction(self._engine) as tx:
            claimed = await claim(
                tx, channel=self._channel.name, pace_s=self._channel.edit_pace_s, now=self._clock.now()
            )
        if claimed is None:
            return False
        row, target = claimed
        self._crash("message_before_send")
        # One message that cannot be shown must not end the sender of all others, whatever its error is.
        (error,) = await asyncio.gather(self._render_and_deliver(row, target), return_exceptions=True)
        if isinstance(error, OSError | Contention | asyncio.CancelledError):
            raise error
        if error is not None:
            log.error("outbox %s (%s)", row["id"], row["kind"], exc_info=error)
        else:
            self._crash("message_delivered")
        async with transaction(self._engine) as tx:
            await (sent(tx, row["id"]) if error is None else failed(tx, row["id"], error=str(error)))
        return True

    async def _render_and_deliver(self, row: Row, target: Row) -> None:
        outbound = await self._renderer.render(
            kind=row["kind"],
            subject_id=row["subject_id"],
            args=row["args"],
            owner_id=target["owner_id"],
            language=target["language"],
        )
        await self._deliver(row, target, outbound)

    async def _deliver(self, row: Row, target: Row, outbound: Outbound) -> None:
        place = Target(row["chat_id"], target["external_id"], target["message_id"], target["external_ref"])
        item = OutboxItem(row["id"], row["kind"], row["subject_id"], row["args"])
        await self._channel.deliver(place, item, outbound)
