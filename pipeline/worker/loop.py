"""The worker: claim, keep the lease, carry out, end. Several attempts at once on one event loop.

Nothing here blocks: parsing, models and codecs run in children and threads, so that the heartbeat is never starved
(rule RUN-9). An attempt whose lease is lost stops at once; what it still tries to write is refused by its fence.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from pipeline.domain.errors import (
    AudioRejected,
    BudgetSpent,
    Cancelled,
    ChildDied,
    Contention,
    Defect,
    Expired,
    FetchFailed,
    InputRejected,
    NeverSent,
    OutcomeUnknown,
    ProductError,
    ProviderError,
)
from pipeline.domain.run import RunLimits, Stage, retry_delay_s
from pipeline.graphs.attempt import Attempt, Tools
from pipeline.graphs.episode import carry_out
from pipeline.ports.wake import Wake
from storage.transactions.run import finish
from storage.transactions.run.claim import claim_due, claim_lapsed, give_up_lapsed, give_up_waiting, heartbeat
from storage.tx import Row, statement, transaction

log = logging.getLogger(__name__)
MAX_RETRY_AFTER_S = 900.0  # what a server may make a run wait
BURST_S = 0.3
LAPSED_S = 1.0
IDLE_S = 2.0  # a lost announcement costs at most this


@dataclass
class Loop:
    """Args of one process's worker.

    ``new_id`` and ``jitter`` are the randomness; ``only_revision`` is for the command line, which serves one revision;
    ``act`` is what an attempt does, the product's own path unless a bench or a simulation says otherwise.
    """

    tools: Tools
    wake: Wake
    holder: str
    limits: RunLimits
    new_id: Callable[[], UUID]
    jitter: Callable[[], float]
    only_revision: int | None = None
    act: Callable[[Attempt], Awaitable[None]] = carry_out
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _looked: float = field(default=0.0, init=False)  # when no lapsed run was found, on the loop's clock

    async def run(self, *, concurrency: int) -> None:
        """Work until ``stopping`` is set; then let attempts finish their current step and leave them to the ledger."""
        async with asyncio.TaskGroup() as group:
            lapsed = group.create_task(self._give_up_lapsed())
            await asyncio.gather(*(group.create_task(self._serve()) for _ in range(concurrency)))
            lapsed.cancel()

    async def _give_up_lapsed(self) -> None:
        """Runs without a try left are told as failed, soon after the lease of the last one is over."""
        while not self.stopping.is_set():
            with contextlib.suppress(OSError, Contention):
                for give_up in (give_up_lapsed, give_up_waiting):
                    more = True
                    while more and not self.stopping.is_set():
                        async with transaction(self.tools.engine) as tx:
                            more = await give_up(tx, max_attempts=self.limits.max_attempts) is not None
            await asyncio.sleep(min(LAPSED_S, self.limits.heartbeat_s))

    async def _serve(self) -> None:
        while not self.stopping.is_set():
            try:
                claimed = await self._claim()
            except (OSError, Contention) as error:
                log.warning("cannot claim: %s", type(error).__name__)
                await asyncio.sleep(0.5)
                continue
            if claimed is None:
                await self.wake.wait(IDLE_S)
            else:
                await self._attempt(claimed)

    async def _claim(self) -> Row | None:
        """A lapsed run at least once in ``LAPSED_S``, however much is due; otherwise what is due first."""
        now = asyncio.get_running_loop().time()
        if now - self._looked >= LAPSED_S:
            return await self._claim_lapsed(now) or await self._claim_due()
        return await self._claim_due() or await self._claim_lapsed(now)

    async def _claim_due(self) -> Row | None:
        async with statement(self.tools.engine) as tx:
            return await claim_due(tx, **self._claiming(), now=self.tools.clock.now())

    async def _claim_lapsed(self, at: float) -> Row | None:
        async with transaction(self.tools.engine) as tx:
            claimed = await claim_lapsed(tx, **self._claiming())
        if claimed is None:  # perhaps there are more: then the next claim looks here again
            self._looked = at
        return claimed

    def _claiming(self) -> dict[str, Any]:
        return {
            "holder": self.holder,
            "attempt": self.new_id(),
            "lease_s": self.limits.lease_s,
            "max_attempts": self.limits.max_attempts,
            "only_revision": self.only_revision,
        }

    async def _attempt(self, claimed: Row) -> None:
        self.tools.crash("claimed")
        attempt = Attempt(self.tools, claimed["id"], claimed["fence"])
        work = asyncio.create_task(self._work(attempt, cancelled=claimed["cancel_requested"]))
        beat = asyncio.create_task(self._beat(attempt, work))
        stop = asyncio.create_task(self.stopping.wait())
        try:
            await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel("stopping")
            await asyncio.gather(work, return_exceptions=True)
            error = work.exception() if not work.cancelled() else asyncio.CancelledError()
            await self._end(attempt, claimed["attempts"], error, beat)
        finally:
            for task in (beat, stop):
                task.cancel()
            await asyncio.gather(beat, stop, return_exceptions=True)

    async def _work(self, attempt: Attempt, *, cancelled: bool) -> None:
        if cancelled:
            raise Cancelled("a person asked before the attempt began")
        await self.act(attempt)

    async def _beat(self, attempt: Attempt, work: asyncio.Task[None]) -> str:
        """Renew the lease until it is lost or a person cancels; either way stop the work. Says which."""
        while True:
            await asyncio.sleep(0)
            await self._wait_or_wake(self.limits.heartbeat_s)
            try:
                async with transaction(self.tools.engine) as tx:
                    asked = await heartbeat(tx, run_id=attempt.run_id, fence=attempt.fence, lease_s=self.limits.lease_s)
            except (OSError, Contention):
                continue  # the database is away; the lease decides who may write when it is back
            if asked is None or asked:
                work.cancel("lost" if asked is None else "cancelled")
                return "lost" if asked is None else "cancelled"

    async def _wait_or_wake(self, seconds: float) -> None:
        """A heartbeat is due, or something was announced: perhaps a cancellation, which should not wait 15 s."""
        await asyncio.sleep(min(BURST_S, seconds))  # announcements come in bursts, one per event
        await self.wake.wait(min(seconds, 5.0))

    async def _end(self, attempt: Attempt, attempts: int, error: BaseException | None, beat: asyncio.Task[str]) -> None:
        if error is None:
            return
        why = beat.result() if beat.done() and not beat.cancelled() and beat.exception() is None else ""
        try:
            if isinstance(error, Cancelled) or (isinstance(error, asyncio.CancelledError) and why == "cancelled"):
                async with transaction(self.tools.engine) as tx:
                    await finish.cancelled(tx, run_id=attempt.run_id, fence=attempt.fence)
            elif isinstance(error, asyncio.CancelledError):
                await self._put_back(attempt, why)
            else:
                await self._fail_or_retry(attempt, attempts, error)
        except (Contention, OSError) as second:
            # The row tells the truth: the lease lapses and the next attempt goes on from what is committed.
            log.warning("run %s: could not record its end: %s", attempt.run_id, type(second).__name__)

    async def _put_back(self, attempt: Attempt, why: str) -> None:
        if why == "lost":
            return
        async with transaction(self.tools.engine) as tx:  # stopping in good order: nobody waits for the lease
            await finish.put_back(
                tx, run_id=attempt.run_id, fence=attempt.fence, due_at=self.tools.clock.now(), stage=attempt.stage
            )

    async def _fail_or_retry(self, attempt: Attempt, attempts: int, error: BaseException) -> None:
        if isinstance(error, Contention):
            log.info("run %s: %s", attempt.run_id, error)
            return
        if isinstance(error, OutcomeUnknown):
            values = {"missing": error.missing, "parts": error.parts, "provider": error.provider}
            async with transaction(self.tools.engine) as tx:
                await finish.review(
                    tx,
                    run_id=attempt.run_id,
                    fence=attempt.fence,
                    reason="outcome_unknown",
                    values=values,
                    marks=error.marks,
                    stage=attempt.stage,
                )
            return
        reason, values, retryable = judged(error, attempt.stage)
        if isinstance(error, OSError):  # storage is away: nobody's mistake, and a retry mends it
            log.warning("run %s stopped in %s: %s", attempt.run_id, attempt.stage, type(error).__name__)
        elif not isinstance(error, ProductError) or isinstance(error, Defect):
            log.error("run %s failed in %s", attempt.run_id, attempt.stage, exc_info=error)
        if retryable and attempts < self.limits.max_attempts:
            delay = retry_delay_s(attempts, limits=self.limits, jitter=self.jitter())
            if isinstance(error, ProviderError) and error.retry_after_s:
                delay = max(delay, min(error.retry_after_s, MAX_RETRY_AFTER_S))
            async with transaction(self.tools.engine) as tx:
                await finish.retry_later(
                    tx,
                    run_id=attempt.run_id,
                    fence=attempt.fence,
                    due_at=self.tools.clock.now() + timedelta(seconds=delay),
                    reason=reason,
                    values=values,
                    stage=attempt.stage,
                )
            return
        async with transaction(self.tools.engine) as tx:
            await finish.fail(
                tx, run_id=attempt.run_id, fence=attempt.fence, reason=reason, values=values, stage=attempt.stage
            )


# Errors that are their class: reason, and whether the machine may try again.
_JUDGED: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, bool], ...] = (
    (BudgetSpent, "budget_spent", False),
    (Expired, "child.crash", True),  # of a local model; what was paid for goes to a person instead
    (NeverSent, "provider_unreachable", True),
    (ProviderError, "provider_refused", False),
    (OSError, "storage_trouble", True),
)


def judged(error: BaseException, stage: Stage) -> tuple[str, dict[str, Any], bool]:
    """Reason (a key of bot/texts), values for its sentence, and whether the machine may try again.

    A parser that died is not tried again by itself: the same bytes would kill the next one. The local model host is.
    """
    if isinstance(error, InputRejected):
        return error.reason, dict(error.values), False
    if isinstance(error, AudioRejected):
        return f"audio.{error.reason}", {}, False
    if isinstance(error, ChildDied):
        if stage is Stage.READ:
            return "parser_died", {"how": error.reason}, False
        return f"child.{error.reason}", {}, True
    if isinstance(error, FetchFailed):
        return f"fetch.{error.reason}", error.values, error.again
    for kinds, reason, again in _JUDGED:
        if isinstance(error, kinds):
            return reason, {}, again
    return "defect", {}, False


Background = Callable[[], Awaitable[None]]


async def every(seconds: float, wake: Wake, act: Background, stopping: asyncio.Event) -> None:
    """Run ``act`` again and again; trouble with the database is waited out."""
    while not stopping.is_set():
        with contextlib.suppress(OSError, Contention):
            await act()
        await wake.wait(seconds)
