"""Append an event to a run, as its living attempt or as a person, and bring its receipt up to date.

Locks: RUN(run) by the UPDATE that allots the seq (rule RUN-7) → OUTBOX (progress row of its message).
A worker's event is refused unless its fence is current and its lease is unexpired by the database's clock (RUN-4), so
every transaction of a worker begins with ``guarded_event``: checking the right to write and writing are one.
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.domain.errors import Contention
from pipeline.domain.sending import rank_of
from storage.locks import Lock
from storage.tx import Row, Tx

# One statement, because a run says a dozen such things and each round trip of its own would cost as much as the write:
# the run's row gives the number, the event and the message that shows it follow from the same row.
_RANK = rank_of("receipt", "progress")
_TAIL = f""", said AS (
  INSERT INTO run_event (run_id, seq, fence, kind, stage, data)
  SELECT moved.id, moved.event_seq, moved.fence, :event, :stage, cast(:data AS jsonb) FROM moved
), shown AS (
  INSERT INTO outbox_message (chat_id, class, kind, subject_id, rank)
  SELECT moved.chat_id, 'progress', CASE WHEN moved.kind = 'REFRESH' THEN 'refresh' ELSE 'receipt' END,
         CASE WHEN moved.kind = 'REFRESH' THEN moved.id ELSE moved.revision_id END, {_RANK} FROM moved
  ON CONFLICT (chat_id, kind, subject_id) WHERE state = 'queued' AND class = 'progress'
  DO UPDATE SET due_at = least(outbox_message.due_at, excluded.due_at)
)
SELECT event_seq, revision_id, owner_id, cancel_requested, kind, chat_id FROM moved
"""
GUARDED = f"""
WITH moved AS (
  UPDATE generation_run r SET event_seq = r.event_seq + 1
    FROM episode_revision v
   WHERE r.id = :run AND v.id = r.revision_id AND r.fence = :fence AND r.state = 'RUNNING'
     AND r.expires_at > clock_timestamp()
  RETURNING r.id, r.event_seq, r.revision_id, r.owner_id, r.cancel_requested, r.kind, r.fence, v.chat_id
){_TAIL}"""
FREE = f"""
WITH moved AS (
  UPDATE generation_run r SET event_seq = r.event_seq + 1
    FROM episode_revision v
   WHERE r.id = :run AND v.id = r.revision_id
  RETURNING r.id, r.event_seq, r.revision_id, r.owner_id, r.cancel_requested, r.kind, r.fence, v.chat_id
){_TAIL}"""


# What only shows where an attempt stands need not wait for the disk: every commit that matters comes later and takes it
# along, and the loss of the last ones with a server that dies costs a line of progress.
PASSING = GUARDED.replace("SELECT event_seq", "SELECT set_config('synchronous_commit', 'off', true), event_seq")


async def guarded_event(
    tx: Tx,
    *,
    run_id: int,
    fence: int,
    kind: str,
    stage: str | None = None,
    data: dict[str, Any] | None = None,
    passing: bool = False,
) -> Row:
    """Append as the attempt that holds ``fence``.

    Args:
        passing: nothing but this event is written, and it may be lost if the server dies at once.

    Returns:
        revision_id, owner_id, cancel_requested, chat_id of the run.

    Raises:
        Contention: the lease lapsed or passed on; the caller drops its result.
    """
    tx.holding(Lock.RUN, run_id)
    body = json.dumps(data or {}, ensure_ascii=False)
    row = await tx.row(PASSING if passing else GUARDED, run=run_id, fence=fence, event=kind, stage=stage, data=body)
    if row is None:
        raise Contention(f"run {run_id}: fence {fence} is no longer current")
    await tx.wake()
    return row


async def event(tx: Tx, *, run_id: int, kind: str, data: dict[str, Any] | None = None) -> Row:
    """Append without a fence: a person's act, or the dispatcher's, on a run whose row is locked here."""
    tx.holding(Lock.RUN, run_id)
    body = json.dumps(data or {}, ensure_ascii=False)
    row = await tx.one(FREE, run=run_id, event=kind, stage=None, data=body)
    await tx.wake()
    return row
