"""Replace the script of a revision by a shorter one, at most once in its life (AUD-3: passes count across attempts).

Locks: RUN(run) by its guarded event → inserts stage_artifact (parent: owner); the revision is written under its run's
    lock → OUTBOX.
Idempotent: the events of the run say whether it was done; None then.
"""

from __future__ import annotations

from typing import Any

from storage.transactions.run.event import guarded_event
from storage.transactions.stage.save_artifact import Artifact, keep
from storage.tx import Tx

BEFORE = """
SELECT 1 FROM run_event WHERE run_id = :run AND kind = 'shortened' LIMIT 1
"""
POINT = """
UPDATE episode_revision SET script_artifact_id = :artifact WHERE id = :revision AND state = 'SCRIPT_READY'
"""


async def save_shorter(
    tx: Tx, *, run_id: int, fence: int, fingerprint: str, content: dict[str, Any]
) -> Artifact | None:
    if await tx.row(BEFORE, run=run_id) is not None:
        return None
    run = await guarded_event(
        tx, run_id=run_id, fence=fence, kind="shortened", data={"sentences": len(content["sentences"])}
    )
    artifact = await keep(
        tx, owner_id=run["owner_id"], kind="script", fingerprint=fingerprint, content=content, run_id=run_id
    )
    await tx.run(POINT, revision=run["revision_id"], artifact=artifact.id)
    return artifact
