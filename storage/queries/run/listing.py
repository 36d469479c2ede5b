"""Runs as a person at a terminal wants to see them: a list, and one as a time line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import Row, Tx, snapshot

LIST = """
SELECT r.id, r.kind, r.state, r.attempts, r.created_at, r.finished_at, r.error_reason,
       coalesce(nullif(sv.title, ''), nullif(s.name, ''), s.input_type) AS title, v.question, r.revision_id
  FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id JOIN source s ON s.id = r.source_id
  LEFT JOIN source_version sv ON sv.id = s.version_id
 ORDER BY r.id DESC LIMIT :limit
"""
RUN = """
SELECT r.id, r.kind, r.state, r.attempts, r.fence, r.holder, r.created_at, r.started_at, r.finished_at,
       r.error_reason, r.error_values, r.settings, v.question, v.state AS revision_state, v.duration_ms, v.decline,
       s.name, s.input_type, s.size_bytes, sv.title, sv.extractor, sv.quality, sv.text_sha256, r.revision_id
  FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id JOIN source s ON s.id = r.source_id
  LEFT JOIN source_version sv ON sv.id = s.version_id
 WHERE r.id = :run
"""
OF_RUN = "SELECT state, owner_id, revision_id FROM generation_run WHERE id = :run"
EVENTS = "SELECT seq, at, fence, kind, stage, data FROM run_event WHERE run_id = :run ORDER BY seq"
CALLS = """
SELECT id, ability, provider, effect, call_seq, state, created_at, settled_at, error FROM provider_call
 WHERE run_id = :run ORDER BY id
"""


async def run_of(tx: Tx, run_id: int) -> Row | None:
    """state, owner_id, revision_id of a run."""
    return await tx.row(OF_RUN, run=run_id)


async def runs(engine: AsyncEngine, *, limit: int = 20) -> Sequence[Row]:
    async with snapshot(engine) as tx:
        return await tx.rows(LIST, limit=limit)


async def time_line(engine: AsyncEngine, run_id: int) -> tuple[Row, Sequence[Row], Sequence[Row]]:
    """The run, its events and its calls. Raises MissingRow."""
    async with snapshot(engine) as tx:
        return await tx.one(RUN, run=run_id), await tx.rows(EVENTS, run=run_id), await tx.rows(CALLS, run=run_id)


def seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else (end - start).total_seconds()
