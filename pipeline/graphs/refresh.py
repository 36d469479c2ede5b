"""Has the page changed? Fetched anew, read anew, compared by its main text, and confirmed by a second look (W15)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pipeline.domain.versions import changes, main_sha256
from pipeline.graphs.attempt import Attempt
from pipeline.graphs.capture import fetch
from pipeline.graphs.intake import read_bytes
from storage.queries.run.work import VersionView, WorkView, version
from storage.transactions.source.capture import Bytes
from storage.transactions.source.refresh import changed, unchanged
from storage.tx import transaction


async def refresh(attempt: Attempt, job: WorkView) -> None:
    """Carry out a REFRESH run. What cannot be fetched or read ends it as FAILED, and the source stays as it is."""
    engine = attempt.tools.engine
    old = await version(engine, job.version_id) if job.version_id is not None else None
    _, _, new = await _look(attempt, job)
    if old is not None and _main(new) == _main(old):
        async with transaction(engine) as tx:
            await unchanged(tx, run_id=attempt.run_id, fence=attempt.fence, result="same")
        return
    capture, came, second = await _look(attempt, job)
    if _main(second) != _main(new):
        async with transaction(engine) as tx:
            await unchanged(tx, run_id=attempt.run_id, fence=attempt.fence, result="unsteady")
        return
    gone = old.text if old is not None else ""
    came_lines, went_lines = await asyncio.to_thread(changes, gone, second.text)
    async with transaction(engine) as tx:
        await changed(
            tx,
            came,
            run_id=attempt.run_id,
            fence=attempt.fence,
            source_id=job.source_id,
            capture_id=capture,
            version_id=second.id,
            came=came_lines,
            went=went_lines,
        )
    attempt.tools.crash("refreshed")


async def _look(attempt: Attempt, job: WorkView) -> tuple[int, Bytes, VersionView]:
    capture, came = await fetch(attempt, job, point=False)
    captured = replace(
        job,
        input_type=came.input_type,
        blob_key=came.blob_key,
        raw_sha256=came.raw_sha256,
        capture_id=capture,
        charset=came.charset,
    )
    return capture, came, await version(attempt.tools.engine, await read_bytes(attempt, captured, point=False))


def _main(view: VersionView) -> str:
    """Versions of before this rule have no main hash; their text says the same."""
    return view.main_sha256 or main_sha256(view.text)
