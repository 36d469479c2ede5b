"""Publish: everything is checked again where it becomes true (rule PUB-2).

Locks: PLAN(the owner's day, when days are limited) → EPISODE(episode) → RUN(run) by its guarded event → OUTBOX.
Idempotent: a revision that is published already is the existing result; an episode is in a plan once.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pipeline.domain.audio import MAX_DURATION_MS
from pipeline.domain.errors import AudioRejected, Contention
from pipeline.domain.plan import Day, has_room
from storage.locks import Lock
from storage.transactions.outbox.enqueue import say
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import deferred, succeeded
from storage.tx import Row, Tx

FIND = "SELECT episode_id, owner_id FROM episode_revision WHERE id = :revision"
PLAN = """
INSERT INTO daily_plan (owner_id, local_date, budget_ms) VALUES (:owner, :day, :budget)
ON CONFLICT (owner_id, local_date) DO NOTHING
"""
PLAN_ID = "SELECT id FROM daily_plan WHERE owner_id = :owner AND local_date = :day"
LOCK_PLAN = "SELECT id, budget_ms FROM daily_plan WHERE id = :id FOR NO KEY UPDATE"
USED = "SELECT coalesce(sum(duration_ms), 0) AS ms FROM plan_item WHERE plan_id = :plan AND state <> 'released'"
ITEM = """
INSERT INTO plan_item (plan_id, episode_id, revision_id, state, duration_ms)
VALUES (:plan, :episode, :revision, 'published', :duration)
ON CONFLICT (plan_id, episode_id) DO NOTHING
"""
LOCK_EPISODE = "SELECT id, owner_id, state, published_revision_id FROM episode WHERE id = :id FOR NO KEY UPDATE"
READY = """
SELECT v.owner_id, v.state, v.duration_ms, a.content->'mp3'->>'sha256' AS sha256,
       v.number = (SELECT max(number) FROM episode_revision WHERE episode_id = v.episode_id) AS current
  FROM episode_revision v JOIN stage_artifact a ON a.id = v.audio_artifact_id WHERE v.id = :revision
"""
POINT = """
UPDATE episode SET published_revision_id = :revision, state = 'PUBLISHED'
 WHERE id = :episode AND published_revision_id IS NULL AND state = 'OPEN'
"""


class Published(StrEnum):
    """What came of it."""

    NOW = "now"
    BEFORE = "before"  # it was published already
    NO_ROOM = "no_room"  # the day is full: the audio is kept, and only publishing moves (rule RUN-2)


async def publish_episode(
    tx: Tx,
    *,
    run_id: int,
    fence: int,
    revision_id: int,
    mp3_sha256: str,
    done: dict[str, Any],
    day: Day | None = None,
    next_day: datetime | None = None,
) -> Published:
    """Set the publication pointer once, end the run, and send the voice note.

    Args:
        mp3_sha256: hash of the bytes just read back from the blob store.
        day: the owner's date and its budget; None when days are not limited.
        next_day: when a run that finds no room is due again; goes with ``day``.

    Raises:
        AudioRejected: the revision's audio is not the audio that was measured.
        Contention: the lease is gone, or a later revision has taken over.
    """
    found = await tx.one(FIND, revision=revision_id)
    plan = await _plan(tx, owner_id=found["owner_id"], day=day)
    episode = await tx.lock(Lock.EPISODE, found["episode_id"], LOCK_EPISODE)
    ready = await tx.one(READY, revision=revision_id)
    new = episode["published_revision_id"] != revision_id
    if plan is not None and new and not await _into(tx, plan, episode["id"], revision_id, ready["duration_ms"]):
        await deferred(tx, run_id=run_id, fence=fence, reason="no_room", due_at=next_day)
        return Published.NO_ROOM
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="publish", data=done)
    if ready["owner_id"] != episode["owner_id"] or run["owner_id"] != episode["owner_id"]:
        raise Contention(f"revision {revision_id} is of another owner")
    if ready["state"] != "AUDIO_READY" or ready["sha256"] != mp3_sha256:
        raise AudioRejected("undecodable", f"revision {revision_id}: the stored audio is not the measured audio")
    if not 0 < ready["duration_ms"] <= MAX_DURATION_MS:
        raise AudioRejected("too_long", f"revision {revision_id}: {ready['duration_ms']} ms")
    if not new:
        await succeeded(tx, run_id=run_id)
        return Published.BEFORE
    if not ready["current"] or await tx.run(POINT, episode=episode["id"], revision=revision_id) != 1:
        raise Contention(f"revision {revision_id} is not the current one of an open episode")
    await succeeded(tx, run_id=run_id)
    await say(tx, chat_id=run["chat_id"], kind="voice", subject_id=revision_id)
    return Published.NOW


async def _plan(tx: Tx, *, owner_id: int, day: Day | None) -> Row | None:
    """The owner's plan of the day, locked; made if it is the first of the day."""
    if day is None:
        return None
    await tx.run(PLAN, owner=owner_id, day=day.local_date, budget=day.budget_ms)
    row = await tx.one(PLAN_ID, owner=owner_id, day=day.local_date)
    return await tx.lock(Lock.PLAN, row["id"], LOCK_PLAN)


async def _into(tx: Tx, plan: Row, episode_id: int, revision_id: int, duration_ms: int) -> bool:
    """Take the time of the day for this episode; False when it does not fit. Under the plan's lock: the sum holds."""
    used = (await tx.one(USED, plan=plan["id"]))["ms"]
    if not has_room(used_ms=used, duration_ms=duration_ms, budget_ms=plan["budget_ms"]):
        return False
    await tx.run(ITEM, plan=plan["id"], episode=episode_id, revision=revision_id, duration=duration_ms)
    return True
