"""Insert a run with its first event.

Locks: inserts generation_run, run_event (parents: owner, source, episode_revision).
Idempotent: ``(owner, kind, request_key)``; the key is the revision's own id, which only its maker knows yet.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from storage.tx import Tx

INSERT = """
WITH made AS (
  INSERT INTO generation_run (owner_id, kind, request_key, source_id, revision_id, state, next_due_at, settings,
                              event_seq)
  VALUES (:owner, :kind, :key, :source, :revision, cast(:state AS text), :due, cast(:settings AS jsonb), 1)
  RETURNING id
), first AS (
  INSERT INTO run_event (run_id, seq, fence, kind, data)
  SELECT id, 1, 0, 'accepted', jsonb_build_object('state', cast(:state AS text)) FROM made
)
SELECT id FROM made
"""


async def enqueue(
    tx: Tx,
    *,
    kind: str,
    state: str,
    due_at: datetime,
    owner_id: int,
    source_id: int,
    revision_id: int,
    settings: dict[str, Any],
    request_key: str | None = None,
) -> int:
    """``request_key`` defaults to the revision, which has one run of each kind but REFRESH."""
    row = await tx.one(
        INSERT,
        owner=owner_id,
        kind=kind,
        key=request_key or f"revision:{revision_id}",
        source=source_id,
        revision=revision_id,
        state=state,
        due=due_at,
        settings=json.dumps(settings, ensure_ascii=False),
    )
    await tx.wake()
    return int(row["id"])
