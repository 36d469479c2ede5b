"""End an attempt under its fence: retry later, fail, or stop because a person asked.

Locks: RUN(run); its provider_call rows under it → OUTBOX. Success is written where its reason is written:
    see publish/ and stage/.
Idempotent: by the fence; a second ending finds the state changed and raises Contention.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from storage.transactions.call.record import settle_intents
from storage.transactions.run.event import guarded_event
from storage.tx import Tx

RETRY = """
UPDATE generation_run SET state = 'RETRY_WAIT', next_due_at = :due, expires_at = NULL, holder = NULL,
       error_reason = :reason, error_values = cast(:values AS jsonb) WHERE id = :run
"""
# A process that stops in good order has not failed: its attempt is not counted, or four restarts during a long run
# would leave a run that waits and that nobody may claim (rule RUN-4 counts failures and lapsed leases).
PUT_BACK = """
UPDATE generation_run SET state = 'RETRY_WAIT', attempts = attempts - 1, next_due_at = :due, expires_at = NULL,
       holder = NULL, error_reason = 'stopped', error_values = NULL WHERE id = :run
"""
# What is put off has not failed: the attempt is not counted.
DEFER = """
UPDATE generation_run SET state = 'DEFERRED', attempts = attempts - 1, expires_at = NULL, holder = NULL,
       next_due_at = coalesce(:due, next_due_at), error_reason = :reason, error_values = NULL WHERE id = :run
"""
REVIEW = """
UPDATE generation_run SET state = 'WAITING_REVIEW', expires_at = NULL, holder = NULL, error_reason = :reason,
       error_values = cast(:values AS jsonb) WHERE id = :run
"""
END = """
UPDATE generation_run SET state = :state, expires_at = NULL, holder = NULL, finished_at = clock_timestamp(),
       error_reason = :reason, error_values = cast(:values AS jsonb) WHERE id = :run
"""


async def retry_later(
    tx: Tx, *, run_id: int, fence: int, due_at: datetime, reason: str, values: dict[str, Any], stage: str | None
) -> None:
    run = await guarded_event(
        tx, run_id=run_id, fence=fence, kind="retry_wait", data={"reason": reason, "stage": stage}
    )
    if run["cancel_requested"]:  # a person asked meanwhile: it does not say "stopping" until it is due again
        await cancelled(tx, run_id=run_id, fence=fence)
        return
    await tx.run(RETRY, run=run_id, due=due_at, reason=reason, values=json.dumps(values, ensure_ascii=False))


async def put_back(tx: Tx, *, run_id: int, fence: int, due_at: datetime, stage: str | None) -> None:
    """The process is being stopped; the next one goes on at once from what is committed."""
    await guarded_event(tx, run_id=run_id, fence=fence, kind="retry_wait", data={"reason": "stopped", "stage": stage})
    await tx.run(PUT_BACK, run=run_id, due=due_at)


async def fail(tx: Tx, *, run_id: int, fence: int, reason: str, values: dict[str, Any], stage: str | None) -> None:
    """``reason`` and ``values`` choose and fill the sentence that the person reads."""
    data = {"reason": reason, **values}
    await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_failed", stage=stage, data=data)
    await _end(tx, run_id, "FAILED", reason, values)


async def review(
    tx: Tx,
    *,
    run_id: int,
    fence: int,
    reason: str,
    values: dict[str, Any],
    marks: tuple[str, ...],
    stage: str | None,
) -> None:
    """The outcome of a paid or outside call is unknown: the run waits for a person (rule TTS-1).

    Args:
        marks: fingerprints of the calls that the person's decision is about.
    """
    await guarded_event(
        tx, run_id=run_id, fence=fence, kind="review", data={"reason": reason, "stage": stage, **values}
    )
    body = json.dumps({**values, "marks": marks}, ensure_ascii=False)
    await tx.run(REVIEW, run=run_id, reason=reason, values=body)


async def deferred(tx: Tx, *, run_id: int, fence: int, reason: str, due_at: datetime | None) -> None:
    """No room today: the run is kept and goes on at ``due_at`` with its counters (rule RUN-2)."""
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="deferred", data={"reason": reason})
    if run["cancel_requested"]:
        await cancelled(tx, run_id=run_id, fence=fence)
        return
    await tx.run(DEFER, run=run_id, reason=reason, due=due_at)


async def cancelled(tx: Tx, *, run_id: int, fence: int) -> None:
    await guarded_event(tx, run_id=run_id, fence=fence, kind="cancelled")
    await _end(tx, run_id, "CANCELLED", None, {})


async def succeeded(tx: Tx, *, run_id: int) -> None:
    """Inside a transaction that has already appended its guarded event."""
    await _end(tx, run_id, "SUCCEEDED", None, {})
    await tx.wake()  # a run of the same revision may have waited for this one


async def _end(tx: Tx, run_id: int, state: str, reason: str | None, values: dict[str, Any]) -> None:
    body = json.dumps(values, ensure_ascii=False) if values else None
    if state != "SUCCEEDED":  # an attempt that was called off, or lost its database, may leave a call open
        await settle_intents(tx, run_id=run_id)
    await tx.run(END, run=run_id, state=state, reason=reason, values=body)
