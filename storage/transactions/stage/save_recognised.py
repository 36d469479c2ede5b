"""Save what OCR saw on one page, as it comes: a killed attempt does not look at it again (rule RUN-8).

Locks: RUN(run) by its guarded event → inserts stage_artifact (parent: owner) → OUTBOX.
Idempotent: ``(owner, kind, fingerprint)``.
"""

from __future__ import annotations

from typing import Any

from storage.transactions.run.event import guarded_event
from storage.transactions.stage.save_artifact import keep
from storage.tx import Tx


async def save_recognised(
    tx: Tx, *, run_id: int, fence: int, fingerprint: str, content: dict[str, Any], part: int, parts: int
) -> None:
    run = await guarded_event(
        tx, run_id=run_id, fence=fence, kind="stage_progress", stage="read", data={"part": part, "parts": parts}
    )
    await keep(tx, owner_id=run["owner_id"], kind="ocr", fingerprint=fingerprint, content=content, run_id=run_id)
