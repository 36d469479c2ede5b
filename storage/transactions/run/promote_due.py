"""A deferred run whose time has come is queued: with the stated default for a question nobody gave (rule CHT-9), or
because another day has begun (rule RUN-2).

Locks: one RUN row, skipped if somebody has it → OUTBOX. The revision is written under its run's lock.
"""

from __future__ import annotations

from datetime import datetime

from storage.transactions.run.event import event
from storage.tx import Tx

DUE = """
SELECT r.id, r.revision_id, r.error_reason FROM generation_run r
 WHERE r.state = 'DEFERRED' AND r.next_due_at <= :now
   AND NOT EXISTS (SELECT 1 FROM generation_run i WHERE i.revision_id = r.revision_id AND i.kind = 'INTAKE'
                      AND i.state IN ('FAILED', 'CANCELLED'))
 ORDER BY r.next_due_at, r.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
"""
DEFAULT = """
UPDATE episode_revision SET question = :question, question_by = 'default' WHERE id = :revision AND question IS NULL
"""
QUEUE = "UPDATE generation_run SET state = 'QUEUED', next_due_at = :now, error_reason = NULL WHERE id = :run"


async def promote_due(tx: Tx, *, default_question: str, now: datetime) -> int | None:
    """The id of the promoted run, or None."""
    row = await tx.row(DUE, now=now)
    if row is None:
        return None
    await event(tx, run_id=row["id"], kind="enqueued" if row["error_reason"] == "no_room" else "question_defaulted")
    await tx.run(DEFAULT, revision=row["revision_id"], question=default_question)
    await tx.run(QUEUE, run=row["id"], now=now)
    return int(row["id"])
