"""A person cancels the runs of a revision, or puts a failed one back.

Locks: RUN rows of the revision, ascending; their provider_call rows under them → OUTBOX.
Idempotent: ended runs stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from storage.locks import Lock
from storage.transactions.call.record import give_up_unknown, settle_intents
from storage.transactions.run.event import event
from storage.tx import Row, Tx

# A refresh is no part of the answer: it is neither cancelled nor retried with it.
OF_REVISION = """
SELECT id, state, kind FROM generation_run
 WHERE revision_id = :revision AND owner_id = :owner AND kind <> 'REFRESH' ORDER BY id FOR NO KEY UPDATE
"""
ASK = "UPDATE generation_run SET cancel_requested = true WHERE id = :run"
END = """
UPDATE generation_run SET state = 'CANCELLED', cancel_requested = true, finished_at = clock_timestamp() WHERE id = :run
"""
# Attempts begin anew, since they guard against inputs that kill workers; calls and tokens already used stay counted.
AGAIN = """
UPDATE generation_run SET state = 'QUEUED', attempts = 0, cancel_requested = false, next_due_at = :now,
       finished_at = NULL, error_reason = NULL, error_values = NULL WHERE id = :run
"""


# Another question took its place: what is made for it could never be published.
REPLACED = """
SELECT EXISTS (SELECT 1 FROM episode_revision v JOIN episode_revision later
   ON later.episode_id = v.episode_id AND later.number > v.number WHERE v.id = :revision) AS replaced
"""


async def lock_runs(tx: Tx, *, revision_id: int, owner_id: int) -> Sequence[Row]:
    """Lock every run of the revision, ascending; id, state and kind of each."""
    runs = await tx.rows(OF_REVISION, revision=revision_id, owner=owner_id)
    for run in runs:
        tx.holding(Lock.RUN, run["id"])
    return runs


async def cancel_revision(tx: Tx, *, revision_id: int, owner_id: int) -> bool:
    """True when something was still to be stopped."""
    stopped = False
    for run in await lock_runs(tx, revision_id=revision_id, owner_id=owner_id):
        if run["state"] in ("DEFERRED", "QUEUED", "RETRY_WAIT", "WAITING_REVIEW"):
            await event(tx, run_id=run["id"], kind="cancelled", data={"by": "person"})
            await settle_intents(tx, run_id=run["id"])
            await tx.run(END, run=run["id"])
            stopped = True
        elif run["state"] == "RUNNING":
            await event(tx, run_id=run["id"], kind="cancel_requested", data={"by": "person"})
            await tx.run(ASK, run=run["id"])
            stopped = True
    return stopped


async def resume_revision(tx: Tx, *, revision_id: int, owner_id: int, now: datetime) -> bool:
    """Put the runs that failed or wait for a person back to QUEUED. False: there was none, or it was replaced."""
    runs = await lock_runs(tx, revision_id=revision_id, owner_id=owner_id)
    if await replaced(tx, revision_id=revision_id):
        return False
    return await resume_locked(tx, runs, now=now, event_kind="resumed")


async def replaced(tx: Tx, *, revision_id: int) -> bool:
    """Whether a later question took this revision's place. Under the locks of its runs, which asking takes as well."""
    return bool((await tx.one(REPLACED, revision=revision_id))["replaced"])


async def resume_locked(tx: Tx, runs: Sequence[Row], *, now: datetime, event_kind: str) -> bool:
    """The same for runs that are locked already; ``event_kind`` says why they go on."""
    resumed = False
    for run in runs:
        if run["state"] in ("FAILED", "WAITING_REVIEW"):
            await give_up_unknown(tx, run_id=run["id"])
            await event(tx, run_id=run["id"], kind=event_kind, data={"by": "person"})
            await tx.run(AGAIN, run=run["id"], now=now)
            resumed = True
    return resumed
