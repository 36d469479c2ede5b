"""Too long after its one shortening: the script is kept as a draft for the person; the run has done its work (AUD-3).

Locks: RUN(run) by its guarded event; the revision is written under it → OUTBOX.
Idempotent: by the fence and the revision's state.
"""

from __future__ import annotations

from pipeline.domain.errors import Contention
from pipeline.domain.run import REVISION, RevisionEvent
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import succeeded
from storage.tx import Tx

HOLD = "UPDATE episode_revision SET state = 'HELD' WHERE id = :revision AND state = ANY(:from)"


async def hold(tx: Tx, *, run_id: int, fence: int, length_ms: int | None) -> None:
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="held", data={"length_ms": length_ms})
    sources = [str(state) for state in REVISION.sources(RevisionEvent.HOLD)]
    if await tx.run(HOLD, revision=run["revision_id"], **{"from": sources}) != 1:
        raise Contention(f"revision {run['revision_id']} has no script that could be held")
    await succeeded(tx, run_id=run_id)
