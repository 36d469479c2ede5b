"""A person asks whether a page has changed; the answer is a fact of the run, and moves the source only if it has.

Locks: RUN(run) by its guarded event → the source is written under it → OUTBOX. Asking inserts generation_run, run_event
    (parents: owner, source, episode_revision).
Idempotent: by the request key; a source whose refresh is on its way is not asked for again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pipeline.domain.errors import NotYours
from storage.transactions.outbox.enqueue import show_progress
from storage.transactions.run.enqueue import enqueue
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import succeeded
from storage.transactions.source.capture import Bytes, point_at
from storage.tx import Tx

OF_REVISION = """
SELECT e.source_id, s.origin, v.chat_id FROM episode_revision v
  JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id
 WHERE v.id = :revision AND v.owner_id = :owner
"""
ON_ITS_WAY = """
SELECT id FROM generation_run
 WHERE source_id = :source AND kind = 'REFRESH' AND state IN ('QUEUED', 'RUNNING', 'RETRY_WAIT') LIMIT 1
"""
POINT = "UPDATE source SET version_id = :version WHERE id = :source"
RESTING_ON_ANOTHER = """
SELECT v.id, v.chat_id FROM episode_revision v JOIN episode e ON e.id = v.episode_id
 WHERE e.source_id = :source AND v.source_version_id IS NOT NULL AND v.source_version_id <> :version
 ORDER BY v.id DESC LIMIT :limit
"""
_MOST = 50  # receipts that are brought up to date at once; every other one says it when it is next shown


async def ask_refresh(
    tx: Tx, *, owner_id: int, revision_id: int, request_key: str, settings: dict[str, Any], now: datetime
) -> bool:
    """Queue a fetch of the address of the revision's source. False: there is no address, or it is on its way already.

    Raises:
        NotYours: no such revision of this owner.
    """
    found = await tx.row(OF_REVISION, revision=revision_id, owner=owner_id)
    if found is None:
        raise NotYours(f"revision {revision_id} is not of owner {owner_id}")
    if found["origin"] is None or await tx.row(ON_ITS_WAY, source=found["source_id"]) is not None:
        return False
    run = await enqueue(
        tx,
        kind="REFRESH",
        state="QUEUED",
        due_at=now,
        owner_id=owner_id,
        source_id=found["source_id"],
        revision_id=revision_id,
        settings=settings,
        request_key=request_key,
    )
    await show_progress(tx, chat_id=found["chat_id"], kind="refresh", subject_id=run)
    return True


async def unchanged(tx: Tx, *, run_id: int, fence: int, result: str) -> None:
    """``result`` is ``same``, or ``unsteady`` for a page that reads differently every time."""
    await guarded_event(tx, run_id=run_id, fence=fence, kind="refreshed", data={"result": result})
    await succeeded(tx, run_id=run_id)


async def changed(
    tx: Tx,
    bytes_: Bytes,
    *,
    run_id: int,
    fence: int,
    source_id: int,
    capture_id: int,
    version_id: int,
    came: int,
    went: int,
) -> None:
    """The source is read from the new version from now on; what rests on the old one says so (rule SRC-3)."""
    data = {"result": "changed", "came": came, "went": went}
    await guarded_event(tx, run_id=run_id, fence=fence, kind="refreshed", data=data)
    await point_at(tx, bytes_, source_id=source_id, capture_id=capture_id)
    await tx.run(POINT, source=source_id, version=version_id)
    await succeeded(tx, run_id=run_id)
    rows = await tx.rows(RESTING_ON_ANOTHER, source=source_id, version=version_id, limit=_MOST)
    for row in sorted(rows, key=lambda row: row["id"]):
        await show_progress(tx, chat_id=row["chat_id"], kind="receipt", subject_id=row["id"])
