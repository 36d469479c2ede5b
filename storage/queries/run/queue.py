"""What of an owner is still to be done, and what each waits for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

# Runs that end by themselves or by a person's word; a refresh has its own message. Position counts every owner's runs,
# since all are served by the same workers.
QUEUE = """
SELECT r.id AS run_id, r.revision_id, r.kind, r.state, r.attempts, r.next_due_at, r.error_reason, v.question,
       v.question IS NULL AND r.state = 'DEFERRED' AS asks,
       coalesce(nullif(sv.title, ''), nullif(s.name, ''), s.origin, '') AS title,
       (SELECT e.stage FROM run_event e WHERE e.run_id = r.id AND e.stage IS NOT NULL ORDER BY e.seq DESC LIMIT 1)
         AS stage,
       CASE WHEN r.state = 'QUEUED' THEN (
         SELECT count(*) FROM generation_run q
          WHERE q.state = 'QUEUED' AND (q.next_due_at, q.id) < (r.next_due_at, r.id)) END AS before
  FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id JOIN source s ON s.id = r.source_id
  LEFT JOIN source_version sv ON sv.id = s.version_id
 WHERE r.owner_id = :owner AND r.kind <> 'REFRESH'
   AND r.state IN ('DEFERRED', 'QUEUED', 'RUNNING', 'RETRY_WAIT', 'WAITING_REVIEW')
   AND NOT (r.kind = 'INTAKE' AND EXISTS (
         SELECT 1 FROM generation_run g WHERE g.revision_id = r.revision_id AND g.kind = 'GENERATE'
            AND g.state IN ('QUEUED', 'RUNNING', 'RETRY_WAIT')))
   AND NOT (r.state = 'DEFERRED' AND EXISTS (  -- its source could not be read: its receipt says so
         SELECT 1 FROM generation_run i WHERE i.revision_id = r.revision_id AND i.kind = 'INTAKE'
            AND i.state IN ('FAILED', 'CANCELLED')))
 ORDER BY r.state = 'RUNNING' DESC, r.next_due_at, r.id LIMIT :limit
"""
COUNT = """
SELECT count(*) AS n FROM generation_run r
 WHERE r.owner_id = :owner AND r.kind = 'GENERATE'
   AND r.state IN ('DEFERRED', 'QUEUED', 'RUNNING', 'RETRY_WAIT', 'WAITING_REVIEW')
   AND NOT (r.state = 'DEFERRED' AND EXISTS (
         SELECT 1 FROM generation_run i WHERE i.revision_id = r.revision_id AND i.kind = 'INTAKE'
            AND i.state IN ('FAILED', 'CANCELLED')))
"""


@dataclass(frozen=True)
class QueueEntry:
    """``before``: runs that are served earlier, while it is QUEUED."""

    run_id: int
    revision_id: int
    kind: str
    state: str
    attempts: int
    next_due_at: datetime
    error_reason: str | None
    question: str | None
    asks: bool
    title: str
    stage: str | None
    before: int | None


@dataclass(frozen=True)
class QueueView:
    entries: tuple[QueueEntry, ...]
    total: int  # runs that are not ended, shown or not


async def queue(engine: AsyncEngine, *, owner_id: int, limit: int = 20) -> QueueView:
    async with snapshot(engine) as tx:
        rows = await tx.rows(QUEUE, owner=owner_id, limit=limit)
        total = (await tx.one(COUNT, owner=owner_id))["n"]
    return QueueView(tuple(QueueEntry(**row) for row in rows), max(int(total), len(rows)))
