"""The pure tables and the real rows agree: what the table allows happens to the row, what it forbids does not (RUN)."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.domain.errors import Contention, IllegalTransition
from pipeline.domain.plan import Day
from pipeline.domain.run import CALL, RUN, CallEvent, CallState, RunEvent, RunState
from storage.engine import engine_of
from storage.transactions.call import record
from storage.transactions.run import finish
from storage.transactions.run.cancel import cancel_revision, resume_revision
from storage.transactions.run.claim import give_up_lapsed, give_up_waiting
from storage.transactions.run.promote_due import promote_due
from storage.transactions.run.put_off import put_off
from storage.tx import transaction
from tests.support.rows import NOW, claim_any, claimed, execute, lapse, owner_and_chat, scalar, submitted

FAR = NOW + timedelta(days=1)


class Rows:
    """One run, and each event of the table as the transaction that makes it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.revision = self.run = self.fence = self.owner = 0

    async def begin(self, *, question: str | None = "为什么？") -> None:
        self.owner, _ = await owner_and_chat(self.engine)
        self.revision = await submitted(self.engine, question=question)
        sql = "SELECT id FROM generation_run WHERE revision_id = :r AND kind = 'GENERATE'"
        self.run = await scalar(self.engine, sql, r=self.revision)
        if question is None:  # what reads the source meanwhile is another run
            await execute(
                self.engine,
                "UPDATE generation_run SET state = 'SUCCEEDED', finished_at = now()"
                " WHERE revision_id = :r AND kind = 'INTAKE'",
                r=self.revision,
            )

    async def state(self) -> RunState:
        return RunState(await scalar(self.engine, "SELECT state FROM generation_run WHERE id = :r", r=self.run))

    async def claim(self) -> bool:
        async with transaction(self.engine) as tx:
            row = await claim_any(
                tx,
                holder="h",
                attempt=uuid.uuid4(),
                lease_s=60,
                max_attempts=1_000,
                now=FAR,
                only_revision=self.revision,
            )
        if row is None:
            return False
        self.fence = row["fence"]
        return True

    async def under_fence(self, act: Callable[..., Awaitable[None]], **values: Any) -> bool:
        """True when it was written; a fence that is not current writes nothing."""
        try:
            async with transaction(self.engine) as tx:
                await act(tx, run_id=self.run, fence=self.fence, **values)
        except Contention:
            return False
        return True

    async def succeed(self) -> bool:
        from storage.transactions.run.event import guarded_event

        async def act(tx: Any, *, run_id: int, fence: int) -> None:
            await guarded_event(tx, run_id=run_id, fence=fence, kind="intake_done")
            await finish.succeeded(tx, run_id=run_id)

        return await self.under_fence(act)

    async def person(self, act: Callable[..., Awaitable[bool]], **values: Any) -> bool:
        async with transaction(self.engine) as tx:
            return await act(tx, revision_id=self.revision, owner_id=self.owner, **values)

    async def enqueue(self) -> bool:
        async with transaction(self.engine) as tx:
            return await promote_due(tx, default_question="讲要点", now=FAR) is not None

    async def put_off(self) -> bool:
        """A day without room, for what is queued."""
        async with transaction(self.engine) as tx:
            day = Day(NOW.date(), 1)
            return await put_off(tx, owner_id=self.owner, day=day, needed_ms=2, next_day=NOW) is not None

    async def give_up(self) -> bool:
        """The limit of tries was lowered while the run waited for one."""
        async with transaction(self.engine) as tx:
            return await give_up_waiting(tx, max_attempts=1) is not None

    async def do(self, event: RunEvent) -> bool:
        reason = {"reason": "crashed", "values": {}, "stage": None}
        match event:
            case RunEvent.ENQUEUE:
                return await self.enqueue()
            case RunEvent.CLAIM:
                return await self.claim()
            case RunEvent.RETRY:
                return await self.under_fence(finish.retry_later, due_at=NOW, **reason)
            case RunEvent.REVIEW:
                return await self.under_fence(finish.review, marks=(), **reason)
            case RunEvent.DEFER:
                return await self.under_fence(finish.deferred, reason="no_room", due_at=NOW) or await self.put_off()
            case RunEvent.FAIL:
                return await self.under_fence(finish.fail, **reason) or await self.give_up()
            case RunEvent.SUCCEED:
                return await self.succeed()
            case RunEvent.CANCEL:
                return await self.person(cancel_revision)
            case RunEvent.RESUME:
                return await self.person(resume_revision, now=NOW)


EDGES = list(RUN.edges)
TO = {  # the shortest way to each state
    RunState.QUEUED: (),
    RunState.DEFERRED: (RunEvent.CLAIM, RunEvent.DEFER),
    RunState.RUNNING: (RunEvent.CLAIM,),
    RunState.RETRY_WAIT: (RunEvent.CLAIM, RunEvent.RETRY),
    RunState.WAITING_REVIEW: (RunEvent.CLAIM, RunEvent.REVIEW),
    RunState.FAILED: (RunEvent.CLAIM, RunEvent.FAIL),
    RunState.SUCCEEDED: (RunEvent.CLAIM, RunEvent.SUCCEED),
    RunState.CANCELLED: (RunEvent.CANCEL,),
}


@pytest.mark.parametrize(("state", "event"), EDGES, ids=[f"{s} {e}" for s, e in EDGES])
async def test_every_edge_is_made_by_a_transaction(engine, state, event):
    """Architecture, state machines: the drawing, the table and the rows are one."""
    rows = Rows(engine)
    await rows.begin()
    for step in TO[state]:
        assert await rows.do(step)
    assert await rows.state() is state
    if (state, event) == (RunState.RUNNING, RunEvent.CLAIM):
        await lapse(engine, rows.run)
    assert await rows.do(event)
    if (state, event) == (RunState.RUNNING, RunEvent.CANCEL):  # asked for; the attempt itself ends it
        assert await rows.under_fence(finish.cancelled)
    assert await rows.state() is RUN.next(state, event)


async def test_the_last_lapse_is_the_edge_from_running_to_failed(engine):
    rows = Rows(engine)
    await rows.begin()
    assert await rows.claim()
    await lapse(engine, rows.run)
    async with transaction(engine) as tx:
        assert await give_up_lapsed(tx, max_attempts=1) == rows.run
    assert await rows.state() is RUN.next(RunState.RUNNING, RunEvent.FAIL)


class RunRows(RuleBasedStateMachine):
    """Any order of events, from workers dead and alive and from a person, on one row after the other."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.engine = engine_of(self.url, pool_size=2)
        self.rows = Rows(self.engine)
        self.model = RunState.QUEUED
        self.stale: list[int] = []

    def wait(self, act: Awaitable[Any]) -> Any:
        async def run() -> Any:
            return await act

        return self.runner.run(run())

    @initialize(asked=st.booleans())
    def begin(self, asked: bool) -> None:
        # What earlier histories left would be due as well.
        self.wait(
            execute(
                self.engine, "UPDATE generation_run SET state = 'CANCELLED', finished_at = now(), expires_at = NULL"
            )
        )
        self.wait(self.rows.begin(question="为什么？" if asked else None))
        self.model = RunState.QUEUED if asked else RunState.DEFERRED

    def step(self, event: RunEvent) -> None:
        try:
            after = RUN.next(self.model, event)
        except IllegalTransition:
            after = None
        if (self.model, event) == (RunState.RUNNING, RunEvent.CLAIM):
            after = None  # only once its lease is over, see ``lapse``
        done = self.wait(self.rows.do(event))
        if after is None:
            if (self.model, event) != (RunState.RUNNING, RunEvent.CANCEL):
                assert not done, f"{event} happened in {self.model}"
            return
        assert done, f"{event} did not happen in {self.model}"
        if (self.model, event) == (RunState.RUNNING, RunEvent.CANCEL):
            assert self.wait(self.rows.under_fence(finish.cancelled))
        self.model = after

    @rule(event=st.sampled_from(sorted(set(RunEvent) - {RunEvent.ENQUEUE})))
    def any_event(self, event: RunEvent) -> None:
        self.step(event)

    @precondition(lambda self: self.model is RunState.DEFERRED)
    @rule()
    def the_time_comes(self) -> None:
        self.step(RunEvent.ENQUEUE)

    @precondition(lambda self: self.model is RunState.RUNNING)
    @rule()
    def lapse_and_takeover(self) -> None:
        """RUN-4: the row passes on, and the old holder writes nothing any more."""
        old = self.rows.fence
        self.wait(lapse(self.engine, self.rows.run))
        assert not self.wait(self.rows.under_fence(finish.cancelled))  # a lapsed lease writes nothing even unclaimed
        assert self.wait(self.rows.claim())
        self.stale.append(old)

    @precondition(lambda self: bool(self.stale))
    @rule()
    def a_late_worker_writes(self) -> None:
        current, self.rows.fence = self.rows.fence, self.stale[-1]
        assert not self.wait(self.rows.succeed())
        self.rows.fence = current

    @invariant()
    def the_row_is_where_the_table_says(self) -> None:
        if self.rows.run:
            assert self.wait(self.rows.state()) is self.model

    def teardown(self) -> None:
        self.wait(self.engine.dispose())
        self.runner.close()


@pytest.mark.slow
def test_any_order_of_events_leaves_table_and_rows_in_agreement(database_url):
    """RUN-4: two hundred histories of up to twenty events."""
    run_state_machine_as_test(
        type("RunRowsHere", (RunRows,), {"url": database_url}),
        settings=settings(
            max_examples=60,
            stateful_step_count=16,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


# ── provider calls ──────────────────────────────────────────────────────────
CALL_TO = {
    CallState.INTENT: (),
    CallState.RECEIPT: (CallEvent.RECEIVE,),
    CallState.UNKNOWN: (CallEvent.LOSE,),
    CallState.STORED: (CallEvent.RECEIVE, CallEvent.STORE),
    CallState.EXPIRED: (CallEvent.RECEIVE, CallEvent.EXPIRE),
    CallState.FAILED: (CallEvent.FAIL,),
}


async def call_event(engine: AsyncEngine, run: int, call: int, event: CallEvent, state: CallState) -> None:
    async with transaction(engine) as tx:
        match event:
            case CallEvent.RECEIVE:
                await record.receive(tx, call_id=call, request_id="r", locator="l", expires_at=None, cost_micro=1)
            case CallEvent.STORE:
                await record.stored(tx, call_id=call)
            case CallEvent.EXPIRE:
                await record.expired(tx, call_id=call)
            case CallEvent.LOSE:
                await record.lost(tx, call_id=call, error="no answer")
            case CallEvent.FAIL if state is CallState.UNKNOWN:  # a person
                await record.give_up_unknown(tx, run_id=run)
            case CallEvent.FAIL:
                await record.failed(tx, call_id=call, error="refused")


@pytest.mark.parametrize("event", list(CallEvent))
@pytest.mark.parametrize("state", list(CallState))
async def test_every_event_of_a_call_does_what_its_table_says(engine, state, event):
    """TTS-1: an edge moves the row; what is no edge leaves it as it was."""
    await submitted(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        call, _ = await record.intend(
            tx, run_id=run["id"], fence=run["fence"], ability="tts", provider="p", effect="billed", fingerprint="f"
        )
    at = CallState.INTENT
    for step in CALL_TO[state]:
        await call_event(engine, run["id"], call, step, at)
        at = CALL.next(at, step)
    await call_event(engine, run["id"], call, event, state)
    expected = CALL.edges.get((state, event), state)
    assert await scalar(engine, "SELECT state FROM provider_call WHERE id = :c", c=call) == expected
