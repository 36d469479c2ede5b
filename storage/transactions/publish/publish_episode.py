"""Publish: everything is checked again where it becomes true (rule PUB-2; the day plan comes with its own issue).

Locks: EPISODE(episode) → RUN(run) by its guarded event → OUTBOX.
Idempotent: a revision that is published already is the existing result.
"""

from __future__ import annotations

from typing import Any

from pipeline.domain.audio import MAX_DURATION_MS
from pipeline.domain.errors import AudioRejected, Contention
from storage.locks import Lock
from storage.transactions.outbox.enqueue import say
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import succeeded
from storage.tx import Tx

FIND = "SELECT episode_id FROM episode_revision WHERE id = :revision"
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


async def publish_episode(
    tx: Tx, *, run_id: int, fence: int, revision_id: int, mp3_sha256: str, done: dict[str, Any]
) -> bool:
    """Set the publication pointer once, end the run, and send the voice note. False: it was published before.

    Args:
        mp3_sha256: hash of the bytes just read back from the blob store.

    Raises:
        AudioRejected: the revision's audio is not the audio that was measured.
        Contention: the lease is gone, or a later revision has taken over.
    """
    found = await tx.one(FIND, revision=revision_id)
    episode = await tx.lock(Lock.EPISODE, found["episode_id"], LOCK_EPISODE)
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="publish", data=done)
    ready = await tx.one(READY, revision=revision_id)
    if ready["owner_id"] != episode["owner_id"] or run["owner_id"] != episode["owner_id"]:
        raise Contention(f"revision {revision_id} is of another owner")
    if ready["state"] != "AUDIO_READY" or ready["sha256"] != mp3_sha256:
        raise AudioRejected("undecodable", f"revision {revision_id}: the stored audio is not the measured audio")
    if not 0 < ready["duration_ms"] <= MAX_DURATION_MS:
        raise AudioRejected("too_long", f"revision {revision_id}: {ready['duration_ms']} ms")
    if episode["published_revision_id"] == revision_id:
        await succeeded(tx, run_id=run_id)
        return False
    if not ready["current"] or await tx.run(POINT, episode=episode["id"], revision=revision_id) != 1:
        raise Contention(f"revision {revision_id} is not the current one of an open episode")
    await succeeded(tx, run_id=run_id)
    await say(tx, chat_id=run["chat_id"], kind="voice", subject_id=revision_id)
    return True
