"""A spoken segment is stored: its call, its artefact and the step on the receipt at once.

Locks: RUN(run) by its guarded event → one provider_call row, inserts stage_artifact (parent: owner) → OUTBOX.
Idempotent: ``(owner, 'speech', fingerprint)``: a segment that is committed is never spoken again (rule RUN-8).
"""

from __future__ import annotations

from typing import Any

from storage.transactions.call.record import stored
from storage.transactions.run.event import guarded_event
from storage.transactions.stage.save_artifact import Artifact, keep
from storage.tx import Tx


async def save_segment(
    tx: Tx,
    *,
    run_id: int,
    fence: int,
    call_id: int,
    fingerprint: str,
    content: dict[str, Any],
    part: int,
    parts: int,
) -> Artifact:
    run = await guarded_event(
        tx,
        run_id=run_id,
        fence=fence,
        kind="stage_progress",
        stage="speak",
        data={"part": part, "parts": parts},
    )
    artifact = await keep(
        tx, owner_id=run["owner_id"], kind="speech", fingerprint=fingerprint, content=content, run_id=run_id
    )
    await stored(tx, call_id=call_id)
    return artifact
