"""Append an event to a run, as its living attempt or as a person, and bring its receipt up to date.

Locks: RUN(run) by the UPDATE that allots the seq (rule RUN-7) → OUTBOX (progress row of the revision).
A worker's event is refused unless its fence is current and its lease is unexpired by the database's clock (RUN-4), so
every transaction of a worker begins with ``guarded_event``: checking the right to write and writing are one.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import RowMapping

from pipeline.domain.errors import Contention
from storage.locks import Lock
from storage.transactions.outbox.enqueue import show_progress
from storage.tx import Tx

GUARDED = """
UPDATE generation_run r SET event_seq = r.event_seq + 1
  FROM episode_revision v
 WHERE r.id = :run AND v.id = r.revision_id AND r.fence = :fence AND r.state = 'RUNNING'
   AND r.expires_at > clock_timestamp()
RETURNING r.event_seq, r.revision_id, r.owner_id, r.cancel_requested, r.kind, v.chat_id
"""
FREE = """
UPDATE generation_run r SET event_seq = r.event_seq + 1
  FROM episode_revision v
 WHERE r.id = :run AND v.id = r.revision_id
RETURNING r.event_seq, r.revision_id, r.owner_id, r.fence, r.kind, v.chat_id
"""
INSERT = """
INSERT INTO run_event (run_id, seq, fence, kind, stage, data)
VALUES (:run, :seq, :fence, :kind, :stage, cast(:data AS jsonb))
"""


async def guarded_event(
    tx: Tx, *, run_id: int, fence: int, kind: str, stage: str | None = None, data: dict[str, Any] | None = None
) -> RowMapping:
    """Append as the attempt that holds ``fence``.

    Returns:
        revision_id, owner_id, cancel_requested, chat_id of the run.

    Raises:
        Contention: the lease lapsed or passed on; the caller drops its result.
    """
    tx.holding(Lock.RUN, run_id)
    row = await tx.row(GUARDED, run=run_id, fence=fence)
    if row is None:
        raise Contention(f"run {run_id}: fence {fence} is no longer current")
    await _insert(tx, run_id, row["event_seq"], fence, kind, stage, data)
    await _shown(tx, run_id, row)
    return row


async def event(tx: Tx, *, run_id: int, kind: str, data: dict[str, Any] | None = None) -> RowMapping:
    """Append without a fence: a person's act, or the dispatcher's, on a run whose row is locked here."""
    tx.holding(Lock.RUN, run_id)
    row = await tx.one(FREE, run=run_id)
    await _insert(tx, run_id, row["event_seq"], row["fence"], kind, None, data)
    await _shown(tx, run_id, row)
    return row


async def _shown(tx: Tx, run_id: int, row: RowMapping) -> None:
    """A refresh has a message of its own; every other run is a part of its revision's receipt."""
    if row["kind"] == "REFRESH":
        await show_progress(tx, chat_id=row["chat_id"], kind="refresh", subject_id=run_id)
    else:
        await show_progress(tx, chat_id=row["chat_id"], kind="receipt", subject_id=row["revision_id"])


async def _insert(
    tx: Tx, run_id: int, seq: int, fence: int, kind: str, stage: str | None, data: dict[str, Any] | None
) -> None:
    body = json.dumps(data or {}, ensure_ascii=False)
    await tx.run(INSERT, run=run_id, seq=seq, fence=fence, kind=kind, stage=stage, data=body)
