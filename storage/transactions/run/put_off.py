"""A queued run whose owner's day is full waits for the next one: no worker takes it, no model is called (rule RUN-2).

Locks: one RUN row, skipped if somebody has it → OUTBOX. The plan is read and not locked: publishing decides again.
Idempotent: a run that is put off is not queued any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pipeline.domain.plan import Day
from storage.locks import Lock
from storage.transactions.run.event import event
from storage.tx import Row, Tx

OWNERS = """
SELECT DISTINCT o.id, o.time_zone FROM generation_run r JOIN owner o ON o.id = r.owner_id
 WHERE r.state = 'QUEUED' AND r.kind = 'GENERATE' ORDER BY o.id
"""
# What is in a plan already has its time. A day that has a plan has its own budget.
FULL = """
SELECT q.id FROM generation_run q JOIN episode_revision v ON v.id = q.revision_id
 WHERE q.owner_id = :owner AND q.kind = 'GENERATE' AND q.state = 'QUEUED'
   AND NOT EXISTS (SELECT 1 FROM plan_item p WHERE p.episode_id = v.episode_id AND p.state <> 'released')
   AND :needed > coalesce((
         SELECT d.budget_ms - coalesce(sum(i.duration_ms), 0)
           FROM daily_plan d LEFT JOIN plan_item i ON i.plan_id = d.id AND i.state <> 'released'
          WHERE d.owner_id = :owner AND d.local_date = :day GROUP BY d.id), :budget)
 ORDER BY q.id LIMIT 1 FOR NO KEY UPDATE OF q SKIP LOCKED
"""
PUT_OFF = """
UPDATE generation_run SET state = 'DEFERRED', next_due_at = :due, error_reason = 'no_room', error_values = NULL
 WHERE id = :run
"""


async def owners_with_queue(tx: Tx) -> Sequence[Row]:
    """Id and time_zone of the owners for whom an episode is queued."""
    return await tx.rows(OWNERS)


async def put_off(tx: Tx, *, owner_id: int, day: Day, needed_ms: int, next_day: datetime) -> int | None:
    """Defer one queued run of the owner if ``needed_ms`` do not fit into ``day``; its id, or None."""
    row = await tx.row(FULL, owner=owner_id, day=day.local_date, budget=day.budget_ms, needed=needed_ms)
    if row is None:
        return None
    tx.holding(Lock.RUN, row["id"])
    await event(tx, run_id=row["id"], kind="deferred", data={"reason": "no_room"})
    await tx.run(PUT_OFF, run=row["id"], due=next_day)
    return int(row["id"])
