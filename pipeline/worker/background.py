"""What goes on beside the runs: questions nobody gave, vectors a run did not wait for, pictures of saved pages."""

from __future__ import annotations

import logging
from datetime import timedelta
from zoneinfo import ZoneInfo

from pipeline.domain.audio import MAX_DURATION_MS
from pipeline.domain.errors import FetchFailed, InputRejected, ProviderError
from pipeline.domain.plan import day_of
from pipeline.domain.source import InputType, Reason
from pipeline.graphs.attempt import Tools
from pipeline.graphs.find import embed_chunks
from pipeline.intake.route import route
from pipeline.ports.wake import Wake
from storage.queries.run.work import anything_runs, version
from storage.queries.source.search import unfinished_version, without_vectors
from storage.transactions.run.dispatch import dispatch_due
from storage.transactions.run.promote_due import promote_due
from storage.transactions.run.put_off import owners_with_queue, put_off
from storage.transactions.source.assets import MAX_TRIES, asset_failed, asset_stored, claim_asset
from storage.tx import transaction

log = logging.getLogger(__name__)
PICTURE_AGAIN = timedelta(minutes=5)
BATCH = 4  # texts; small, because a run that starts meanwhile waits for the batch before it


async def promote_questions(tools: Tools, *, default_question: str) -> None:
    """Queue each run whose question did not come in time, with the default that was announced (rule CHT-9)."""
    while True:
        async with transaction(tools.engine) as tx:
            if await promote_due(tx, default_question=default_question, now=tools.clock.now()) is None:
                return


async def put_off_full_days(tools: Tools) -> int:
    """Defer what is queued on a day that has no room for another episode (rule RUN-2); how many runs."""
    budget_ms, deferred = tools.limits.day_budget_ms, 0
    if not budget_ms:
        return 0
    async with transaction(tools.engine) as tx:
        owners = await owners_with_queue(tx)
    for owner in owners:
        day, next_day = day_of(tools.clock.now(), zone=ZoneInfo(owner["time_zone"]), budget_ms=budget_ms)
        more = True
        while more:
            async with transaction(tools.engine) as tx:
                run = await put_off(tx, owner_id=owner["id"], day=day, needed_ms=MAX_DURATION_MS, next_day=next_day)
            more = run is not None
            deferred += more
    return deferred


async def announce_due(tools: Tools, wake: Wake, *, lease_s: float) -> int:
    """Tell whoever waits of runs that have become due; how many. The row first, the message second (rule RUN-3)."""
    async with transaction(tools.engine) as tx:
        due = await dispatch_due(tx, now=tools.clock.now(), lease_s=lease_s)
    if due:
        tools.crash("dispatched")
        await wake.announce(due)
    return len(due)


async def index_one_batch(tools: Tools) -> bool:
    """Give the next chunks without a vector theirs. False when there is nothing to do (rule CHK-3)."""
    unfinished = await unfinished_version(tools.engine)
    if unfinished is None or await anything_runs(tools.engine):  # runs first: somebody waits for them
        return False
    waiting = await without_vectors(tools.engine, version_id=unfinished, config=tools.embedder.config, limit=BATCH)
    view = await version(tools.engine, unfinished)
    try:
        await embed_chunks(tools, view.id, view.text, waiting)
    except ProviderError as error:
        log.warning("indexing waits: %s", error)
        return False
    return True


async def fetch_one_picture(tools: Tools) -> bool:
    """Save the bytes of one picture of a page (pitfalls W2, W10). False: none is due, or a run is waited for."""
    if await anything_runs(tools.engine):
        return False
    now = tools.clock.now()
    async with transaction(tools.engine) as tx:
        claimed = await claim_asset(tx, now=now)
    if claimed is None:
        return False
    limit = tools.limits.source.max_image_bytes
    try:
        fetched = await tools.fetcher.fetch(claimed["address"], owner_id=claimed["owner_id"], max_bytes=limit)
        if route(fetched.data, name="", limits=tools.limits.source) is not InputType.IMAGE:
            raise InputRejected(Reason.WRONG_KIND, "no picture lies there")
    except (InputRejected, FetchFailed) as error:
        again = isinstance(error, FetchFailed) and error.again and claimed["tries"] < MAX_TRIES
        later = now + PICTURE_AGAIN if again else None
        async with transaction(tools.engine) as tx:
            await asset_failed(tx, claimed["id"], error=str(error), again_at=later, now=now)
        return True
    blob = await tools.blobs.put(fetched.data, owner_id=claimed["owner_id"])
    async with transaction(tools.engine) as tx:
        await asset_stored(
            tx,
            claimed["id"],
            media_type=fetched.media_type,
            blob_key=blob.key,
            sha256=blob.sha256,
            size_bytes=blob.size_bytes,
        )
    return True
