"""Claim the oldest due run for one attempt; keep it; give it up for dead.

Locks: one RUN row, skipped if another worker has it; its provider_call rows under it → OUTBOX. The rule is
pipeline/domain/run.py; SQL repeats it because only the database sees all workers at once.
Clock: the database's, so that workers with wrong clocks agree.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from storage.locks import Lock
from storage.transactions.call.record import LEFT_OPEN, settle_intents
from storage.transactions.outbox.enqueue import show_progress
from storage.transactions.run.event import event
from storage.tx import Row, Tx

# A lapsed lease is claimable like a fresh run: no rescuer to forget. Two statements, because each then
# reads its index in order and stops at the first row; one with OR would sort all that is due, at every claim.
_TAKE = """
WITH claimed AS (
UPDATE generation_run r
   SET state = 'RUNNING', attempt_id = :attempt, attempts = attempts + 1, fence = fence + 1, holder = :holder,
       expires_at = clock_timestamp() + make_interval(secs => :lease_s), delivered_until = NULL,
       event_seq = event_seq + 1, started_at = coalesce(started_at, clock_timestamp()),
       error_reason = NULL, error_values = NULL
 WHERE r.id = ({which})
RETURNING r.id, r.kind, r.fence, r.attempts, r.event_seq, r.revision_id, r.cancel_requested
), started AS (
INSERT INTO run_event (run_id, seq, fence, kind, data)
SELECT id, event_seq, fence, 'attempt_started', jsonb_build_object('attempt', attempts, 'holder', cast(:holder AS text))
  FROM claimed
){sweeps}
SELECT id, kind, fence, attempts, event_seq, revision_id, cancel_requested FROM claimed
"""
# A run whose source is being read for another run of the same revision waits for that, so that no file is parsed twice
# at once.
DUE = """
SELECT q.id FROM generation_run q
 WHERE q.state IN ('QUEUED', 'RETRY_WAIT') AND q.next_due_at <= :now AND q.attempts < :max_attempts
   AND (cast(:only AS bigint) IS NULL OR q.revision_id = :only)
   AND NOT (q.kind = 'GENERATE' AND EXISTS (
         SELECT 1 FROM generation_run i WHERE i.revision_id = q.revision_id AND i.kind = 'INTAKE'
            AND i.state IN ('QUEUED', 'RUNNING', 'RETRY_WAIT')))
 ORDER BY q.next_due_at, q.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
"""
LAPSED = """
SELECT q.id FROM generation_run q
 WHERE q.state = 'RUNNING' AND q.expires_at <= clock_timestamp() AND q.attempts < :max_attempts
   AND (cast(:only AS bigint) IS NULL OR q.revision_id = :only)
 ORDER BY q.expires_at, q.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
"""
_CALLS = f"""
UPDATE provider_call p SET state = {LEFT_OPEN}, error = 'the attempt that made it died', settled_at = now()"""
# What a local model made and a dead process held is gone, and costs nothing to make again.
_RECEIPTS = """
UPDATE provider_call p SET state = 'EXPIRED', settled_at = now()"""
# A due run's earlier attempts have ended, each by its own commit, so one statement sees all their calls. A lapsed one
# may have written until the moment its row was taken: only a later statement sees that.
_SWEEPS = f"""
, calls AS ({_CALLS}
  FROM claimed WHERE p.run_id = claimed.id AND p.state = 'INTENT' AND p.fence < claimed.fence
), receipts AS ({_RECEIPTS}
  FROM claimed WHERE p.run_id = claimed.id AND p.state = 'RECEIPT' AND p.effect = 'none' AND p.fence < claimed.fence
)"""
CLAIM_DUE = _TAKE.format(which=DUE, sweeps=_SWEEPS)
CLAIM_LAPSED = _TAKE.format(which=LAPSED, sweeps="")
SWEEP_CALLS = f"{_CALLS} WHERE p.run_id = :run AND p.state = 'INTENT' AND p.fence < :fence"
SWEEP_RECEIPTS = f"""{_RECEIPTS}
 WHERE p.run_id = :run AND p.state = 'RECEIPT' AND p.effect = 'none' AND p.fence < :fence
"""
BEAT = """
UPDATE generation_run SET expires_at = clock_timestamp() + make_interval(secs => :lease_s)
 WHERE id = :run AND fence = :fence AND state = 'RUNNING' AND expires_at > clock_timestamp()
RETURNING cancel_requested
"""
CRASHED = """
UPDATE generation_run r SET state = 'FAILED', error_reason = 'crashed', expires_at = NULL, holder = NULL,
       finished_at = clock_timestamp()
  FROM episode_revision v
 WHERE v.id = r.revision_id AND r.id = (
   SELECT id FROM generation_run
    WHERE state = 'RUNNING' AND expires_at <= clock_timestamp() AND attempts >= :max_attempts
    ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING r.id, r.revision_id, r.kind, v.chat_id
"""

# A run that waits for a try it may not have any more, since the limit was lowered meanwhile: nobody would claim it.
OUT_OF_TRIES = """
UPDATE generation_run SET state = 'FAILED', finished_at = clock_timestamp()
 WHERE id = (
   SELECT id FROM generation_run WHERE state = 'RETRY_WAIT' AND attempts >= :max_attempts
    ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id
"""


async def claim_due(
    tx: Tx,
    *,
    holder: str,
    attempt: UUID,
    lease_s: float,
    max_attempts: int,
    now: datetime,
    only_revision: int | None = None,
) -> Row | None:
    """id, kind, fence, attempts, revision_id, cancel_requested of the claimed run; None when nothing is due.

    One statement: it may commit by itself.
    """
    row = await tx.row(
        CLAIM_DUE,
        holder=holder,
        attempt=attempt,
        lease_s=lease_s,
        max_attempts=max_attempts,
        only=only_revision,
        now=now,
    )
    if row is not None:
        tx.holding(Lock.RUN, row["id"])
    return row


async def claim_lapsed(
    tx: Tx, *, holder: str, attempt: UUID, lease_s: float, max_attempts: int, only_revision: int | None = None
) -> Row | None:
    """The same for a run whose worker went silent."""
    row = await tx.row(
        CLAIM_LAPSED, holder=holder, attempt=attempt, lease_s=lease_s, max_attempts=max_attempts, only=only_revision
    )
    if row is not None:
        tx.holding(Lock.RUN, row["id"])
        await tx.run(SWEEP_CALLS, run=row["id"], fence=row["fence"])
        await tx.run(SWEEP_RECEIPTS, run=row["id"], fence=row["fence"])
    return row


async def heartbeat(tx: Tx, *, run_id: int, fence: int, lease_s: float) -> bool | None:
    """Extend one's own live lease. None: it is no longer ours. Otherwise whether a person asked to cancel."""
    row = await tx.row(BEAT, run=run_id, fence=fence, lease_s=lease_s)
    return None if row is None else bool(row["cancel_requested"])


async def give_up_lapsed(tx: Tx, *, max_attempts: int) -> int | None:
    """Turn one run whose last allowed attempt lapsed into FAILED (crashed); its id, or None. Once in a transaction:
    the next one's RUN would be asked for with this one's OUTBOX in hand.
    """
    row = await tx.row(CRASHED, max_attempts=max_attempts)
    if row is None:
        return None
    tx.holding(Lock.RUN, row["id"])
    await settle_intents(tx, run_id=row["id"])
    subject = ("refresh", row["id"]) if row["kind"] == "REFRESH" else ("receipt", row["revision_id"])
    await show_progress(tx, chat_id=row["chat_id"], kind=subject[0], subject_id=subject[1])
    return int(row["id"])


async def give_up_waiting(tx: Tx, *, max_attempts: int) -> int | None:
    """Turn one run that has no try left into FAILED, for the reason of its last one; its id, or None."""
    row = await tx.row(OUT_OF_TRIES, max_attempts=max_attempts)
    if row is None:
        return None
    await settle_intents(tx, run_id=row["id"])
    await event(tx, run_id=row["id"], kind="gave_up", data={"attempts": max_attempts})
    return int(row["id"])
