"""Outbox rows → screens → channel: one sender per token, fenced and paced (rules CHT-2, CHT-3, CHT-7).

A row is claimed, rendered from one consistent read, delivered, settled. A process that dies between two of these
leaves a row that ``recover`` puts right when the next gateway starts. Which row is next, and when, is
storage/transactions/outbox/claim.py; what becomes of it, pipeline/domain/sending.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.port import Channel, Delivery, Outbound, OutboxItem, Target, as_outbound, as_payload
from bot.screens.render import Renderer
from pipeline.domain.errors import Contention
from pipeline.domain.outbox import OutboxClass, OutboxEvent
from pipeline.domain.sending import Fate, after
from pipeline.ports.clock import Clock
from pipeline.ports.wake import Wake
from storage.transactions.chat.deliver import deliver
from storage.transactions.gateway.lease import give_back, holds, renew, take
from storage.transactions.outbox import restrict
from storage.transactions.outbox.claim import FenceLost, claim
from storage.transactions.outbox.parts import freeze
from storage.transactions.outbox.settle import (
    failed,
    lost,
    recover,
    requeued,
    send_lost_anew,
    sent,
    unfinished,
)
from storage.tx import Row, transaction

log = logging.getLogger(__name__)
IDLE_S = 1.0
TROUBLE_S = 0.5
LEASE_S = 10.0
LOOK_BACK = timedelta(hours=48)  # how old a settled receipt may be that is looked at again after a restart


class Gateway:
    """The sender of one token. ``lanes`` messages may be on their way at once, to as many chats.

    Of several lanes the first carries nothing but answers to presses, so that none waits for an upload.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        channel: Channel,
        renderer: Renderer,
        *,
        clock: Clock,
        wake: Wake,
        crash: Callable[[str], None],
        lanes: int = 1,
        lease_s: float = LEASE_S,
        idle_s: float = IDLE_S,
        language: str = "zh",
    ) -> None:
        self._engine, self._channel, self._renderer = engine, channel, renderer
        self._clock, self._wake, self._crash = clock, wake, crash
        self._lanes, self._lease_s, self._idle_s, self._language = lanes, lease_s, idle_s, language
        self._fence: int | None = None
        self._began = False
        self._claimed_at = float("-inf")  # on the loop's clock

    async def serve(self, stopping: asyncio.Event) -> None:
        """Send until ``stopping``; after any trouble, first take the right to send anew and look what was left."""
        while not stopping.is_set():
            try:
                if await self.begin():
                    await self._send(stopping)
                else:
                    await self._wake.wait(self._idle_s)
            except FenceLost:
                log.warning("gateway %s: another one sends now", self._channel.sender)
                self._fence = None
            except (OSError, Contention) as error:
                log.warning("gateway %s waits: %s", self._channel.name, type(error).__name__)
                self._fence = None  # what was on its way when the connection went is put right first
                await asyncio.sleep(TROUBLE_S)
        with contextlib.suppress(OSError, Contention):
            await self.end()

    async def begin(self) -> bool:
        """Take the right to send and put right what the one before left. False while somebody else has it.

        Where delivering twice is harmless the newest process takes it at once; otherwise it waits for the lease.
        """
        async with transaction(self._engine) as tx:
            seize = self._channel.idempotent and not self._began
            fence = await take(tx, name=self._channel.sender, lease_s=self._lease_s, seize=seize)
            if fence is None:
                return False
            await recover(tx, channel=self._channel.name, idempotent=self._channel.idempotent)
            if not self._channel.idempotent:
                await unfinished(tx, channel=self._channel.name, since=self._clock.now() - LOOK_BACK)
        self._fence, self._began = fence, True
        return True

    async def end(self) -> None:
        """Give the right to send back."""
        if self._fence is not None:
            async with transaction(self._engine) as tx:
                await give_back(tx, name=self._channel.sender, fence=self._fence)
            self._fence = None

    async def _send(self, stopping: asyncio.Event) -> None:
        """All lanes until one meets trouble; the others finish what they have begun, because it may have arrived."""
        broken = asyncio.Event()
        lanes = [self._lane(stopping, broken, answers=n == 0 and self._lanes > 1) for n in range(self._lanes)]
        ends = await asyncio.gather(self._keep(stopping, broken), *lanes, return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException):
                raise end

    async def _lane(self, stopping: asyncio.Event, broken: asyncio.Event, *, answers: bool) -> None:
        try:
            while not (stopping.is_set() or broken.is_set()):
                if not await self.send_one(answers=answers):
                    await self._rest()
        finally:
            broken.set()

    async def _rest(self) -> None:
        """After nothing could be claimed: until something is announced, but no longer than the token's own gap lasts.

        A lane that slept past the gap would leave most of the allowed pace unused. One sender per token: the claim
        that made the gap was ours.
        """
        gap = self._channel.pace.total_s
        if asyncio.get_running_loop().time() - self._claimed_at <= gap:
            await asyncio.sleep(gap)
        else:
            await self._wake.wait(self._idle_s)

    async def _keep(self, stopping: asyncio.Event, broken: asyncio.Event) -> None:
        """Renew the lease in good time, and send anew what may be repeated."""
        try:
            while not (stopping.is_set() or broken.is_set()):
                async with transaction(self._engine) as tx:
                    fence = self._held()
                    if not await renew(tx, name=self._channel.sender, fence=fence, lease_s=self._lease_s):
                        raise FenceLost(self._channel.sender)
                    await send_lost_anew(tx, channel=self._channel.name, now=self._clock.now())
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(broken.wait(), min(self._lease_s / 3, self._idle_s))
        finally:
            broken.set()

    def _held(self) -> int:
        if self._fence is None:
            raise FenceLost(self._channel.sender)
        return self._fence

    async def send_one(self, *, answers: bool = False) -> bool:
        """Send the next due message. False when there is none.

        Raises:
            FenceLost: another gateway has taken over; what was claimed is put back unsent.
            OSError, Contention: the database is away or busy; the message is sent after ``recover``.
        """
        if self._fence is None and not await self.begin():
            return False
        fence = self._held()
        async with transaction(self._engine) as tx:
            claimed = await claim(
                tx,
                channel=self._channel.name,
                name=self._channel.sender,
                fence=fence,
                pace=self._channel.pace,
                now=self._clock.now(),
                answers=answers,
                language=self._language,
            )
        if claimed is None:
            return False
        self._claimed_at = asyncio.get_running_loop().time()
        row, target = claimed
        self._crash("message_before_send")
        # One message that cannot be shown must not end the sender of all others, whatever its error is.
        (came,) = await asyncio.gather(self._attempt(row, target, fence), return_exceptions=True)
        if isinstance(came, OSError | Contention | FenceLost | asyncio.CancelledError):
            raise came
        if isinstance(came, BaseException):
            log.error("outbox %s (%s)", row["id"], row["kind"], exc_info=came)
            async with transaction(self._engine) as tx:
                await failed(tx, row["id"], fence=fence, error=str(came))
            return True
        delivery, outbound = came
        if delivery.fate is Fate.SENT:
            self._crash("message_delivered")
        async with transaction(self._engine) as tx:
            await self._settle(tx, row, target, fence, delivery, outbound)
        return True

    async def _attempt(self, row: Row, target: Row, fence: int) -> tuple[Delivery, Outbound]:
        """Render and deliver. Whatever the messenger says comes back as a Delivery."""
        outbound = await self._rendered(row, target, fence)
        if not self._channel.idempotent:
            if target["message_id"] is not None and target["shown"] == self._channel.shown(outbound):
                return Delivery(Fate.SENT), outbound
            await self._check(row, fence)
        place = Target(
            row["chat_id"],
            target["external_id"],
            target["message_id"],
            target["external_ref"],
            target["head_ref"],
            target["voice_forbidden"],
        )
        item = OutboxItem(row["id"], row["kind"], row["subject_id"], row["args"])
        return await self._channel.deliver(place, item, outbound), outbound

    async def _check(self, row: Row, fence: int) -> None:
        """The claim is a moment old, and a sender may have slept since: the newest fence decides who may speak.

        Raises:
            FenceLost: it is not ours any more; the row was put back, because nothing was sent.
        """
        async with transaction(self._engine) as tx:
            if held := await holds(tx, name=self._channel.sender, fence=fence):
                return
            await requeued(tx, row["id"], fence=fence, due_at=self._clock.now(), error="the fence was lost")
        if not held:
            raise FenceLost(self._channel.sender)

    async def _rendered(self, row: Row, target: Row, fence: int) -> Outbound:
        if row["payload"] is not None:
            return as_outbound(row["payload"])
        outbound = await self._renderer.render(
            kind=row["kind"],
            subject_id=row["subject_id"],
            args=row["args"],
            owner_id=target["owner_id"],
            language=target["language"],
        )
        parts = self._channel.parts(outbound)
        if len(parts) > 1:
            async with transaction(self._engine) as tx:
                if not await freeze(tx, row["id"], fence=fence, payloads=[as_payload(part) for part in parts]):
                    raise FenceLost(self._channel.sender)
        return parts[0]

    async def _settle(self, tx: Any, row: Row, target: Row, fence: int, delivery: Delivery, outbound: Outbound) -> None:
        """Let become true what the request came to: first what it says about the chat, then the row itself."""
        now, chat, name = self._clock.now(), row["chat_id"], self._channel.sender
        message, pace = target["message_id"], self._channel.pace
        match delivery.fate:
            case Fate.THROTTLED:
                log.warning("gateway %s: told to wait %g s", name, delivery.retry_after_s)
                await restrict.shut(
                    tx,
                    channel=self._channel.name,
                    name=name,
                    chat_id=chat,
                    now=now,
                    retry_after_s=delivery.retry_after_s,
                    token=delivery.token,
                )
            case Fate.CHAT_GONE:
                await restrict.deactivate(tx, chat_id=chat, now=now)
            case Fate.CHAT_MOVED if delivery.moved_to:
                old = target["external_id"]
                await restrict.move_chat(tx, channel=self._channel.name, old=old, new=delivery.moved_to, now=now)
            case Fate.NO_VOICE:
                await restrict.no_voice(tx, chat_id=chat)
            case Fate.TARGET_GONE if message is not None:
                await restrict.target_gone(tx, message_id=message, now=now)
            case _:
                pass
        if (gap := pace.group_s if target["grouped"] else pace.chat_s) and row["kind"] != "answer":
            await restrict.rest(tx, chat_id=chat, until=now + timedelta(seconds=gap))
        await self._settle_row(tx, row, target, fence, delivery, outbound)

    async def _settle_row(
        self, tx: Any, row: Row, target: Row, fence: int, delivery: Delivery, outbound: Outbound
    ) -> None:
        id, what = row["id"], delivery.what or delivery.fate.value
        then = after(
            delivery.fate,
            OutboxClass(row["class"]),
            edit=target["external_ref"] is not None,
            tries=row["tries"],
            retry_after_s=delivery.retry_after_s,
            needed=not outbound.ended,
        )
        match then.event:
            case OutboxEvent.CONFIRM:
                stands = delivery.fate is Fate.SENT and row["kind"] != "answer"
                message = await self._recorded(tx, row, target, delivery, outbound) if stands else None
                await sent(tx, id, fence=fence, message_id=message)
            case OutboxEvent.REQUEUE:
                due = self._clock.now() + timedelta(seconds=then.wait_s)
                await requeued(tx, id, fence=fence, due_at=due, error=what)
            case OutboxEvent.LOSE:
                await lost(tx, id, fence=fence, error=what)
            case _:
                log.error("outbox %s (%s) was refused: %s", id, row["kind"], what)
                await failed(tx, id, fence=fence, error=what)

    async def _recorded(self, tx: Any, row: Row, target: Row, delivery: Delivery, outbound: Outbound) -> int:
        return await deliver(
            tx,
            chat_id=row["chat_id"],
            outbox_id=row["id"],
            target_id=target["message_id"],
            author="bot",
            kind=outbound.kind,
            subject_id=row["subject_id"],
            args=row["args"],
            payload=self._channel.shown(outbound),
            external_ref=delivery.ref,
            head_id=target["head_id"],
            part=row["part"],
        )
