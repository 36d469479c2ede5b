"""The episode's path: read → split → find → write → check → speak → publish."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from zoneinfo import ZoneInfo

from pipeline.domain.audio import MAX_DURATION_MS
from pipeline.domain.errors import AudioRejected, Cancelled, MissingRow
from pipeline.domain.plan import Day, day_of
from pipeline.domain.run import RevisionState, RunKind, Stage
from pipeline.domain.script import ScriptDoc, shortened
from pipeline.graphs.attempt import Attempt, fingerprint
from pipeline.graphs.find import find
from pipeline.graphs.intake import chunk, read
from pipeline.graphs.refresh import refresh
from pipeline.graphs.speak import audio_bytes_sha256, speak
from pipeline.graphs.write import unwritten, write_script
from storage.queries.run.work import WorkView, artifact_content, work
from storage.transactions.publish.publish_episode import publish_episode
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import succeeded
from storage.transactions.stage.hold import hold
from storage.transactions.stage.save_shorter import save_shorter
from storage.tx import transaction

SHORTEN_TO_MS = 280_000  # below the limit, because characters are spoken at different speeds (rule AUD-3)


async def carry_out(attempt: Attempt) -> None:
    """Bring the run to its end from wherever its committed rows stand. Errors go to the worker."""
    job = await work(attempt.tools.engine, attempt.run_id)
    if job.kind == RunKind.REFRESH:
        await refresh(attempt, job)
        return
    if job.revision_state == RevisionState.AUDIO_READY:
        await publish(attempt, job)
        return
    view = await read(attempt, job)
    await chunk(attempt, view)
    if job.kind == RunKind.INTAKE:
        async with transaction(attempt.tools.engine) as tx:
            await guarded_event(tx, run_id=attempt.run_id, fence=attempt.fence, kind="intake_done")
            await succeeded(tx, run_id=attempt.run_id)
        return
    if job.question is None:
        raise Cancelled(f"revision {job.revision_id} has no question")
    if job.revision_state == RevisionState.SCRIPT_READY and job.script_artifact_id is not None:
        script = unwritten(await artifact_content(attempt.tools.engine, job.script_artifact_id))
    else:
        pack, pack_mark = await find(attempt, view, job.question)
        written = await write_script(attempt, view, pack, pack_mark)
        if written is None:
            return
        script = written
    try:
        await speak_within_limit(attempt, job, script)
    except AudioRejected as error:
        if error.reason != "too_long":
            raise
        async with transaction(attempt.tools.engine) as tx:
            await hold(tx, run_id=attempt.run_id, fence=attempt.fence, length_ms=error.length_ms)
        return
    await publish(attempt, await work(attempt.tools.engine, attempt.run_id))


async def speak_within_limit(attempt: Attempt, job: WorkView, script: ScriptDoc) -> None:
    """Speak; if it is too long, leave out what is not critical, once in the life of the revision (rule AUD-3)."""
    try:
        await speak(attempt, job.owner_id, script)
    except AudioRejected as error:
        if error.reason != "too_long":
            raise
        chars = sum(len(sentence.text) for sentence in script.sentences)
        over = 1 - SHORTEN_TO_MS / (error.length_ms or MAX_DURATION_MS)
        shorter = shortened(script, drop_chars=round(chars * over) + 1)
        if shorter is None:
            raise
        async with transaction(attempt.tools.engine) as tx:
            kept = await save_shorter(
                tx,
                run_id=attempt.run_id,
                fence=attempt.fence,
                fingerprint=fingerprint(shortened=asdict(script)),
                content=asdict(shorter),
            )
        if kept is None:  # it was shortened before, in this attempt or an earlier one
            raise
        await speak(attempt, job.owner_id, unwritten(kept.content))


async def publish(attempt: Attempt, job: WorkView) -> None:
    """Read the stored bytes back, then set the pointer (rule PUB-2)."""
    await attempt.enter(Stage.PUBLISH)
    if job.audio_artifact_id is None:  # the CHECK on AUDIO_READY forbids it
        raise MissingRow(f"revision {job.revision_id} has no audio artefact")
    audio = await artifact_content(attempt.tools.engine, job.audio_artifact_id)
    digest = await audio_bytes_sha256(attempt, audio["mp3"]["key"])
    day, next_day = _day(attempt, job)
    attempt.tools.crash("publish_before")
    async with transaction(attempt.tools.engine) as tx:
        await publish_episode(
            tx,
            run_id=attempt.run_id,
            fence=attempt.fence,
            revision_id=job.revision_id,
            mp3_sha256=digest,
            done={"duration_ms": audio["duration_ms"], "lufs": audio["lufs"], "bytes": audio["ogg"]["bytes"]},
            day=day,
            next_day=next_day,
        )
    attempt.tools.crash("published")


def _day(attempt: Attempt, job: WorkView) -> tuple[Day | None, datetime | None]:
    """The owner's day, and when the next one begins; Nones when days are not limited."""
    budget_ms = attempt.tools.limits.day_budget_ms
    if not budget_ms:
        return None, None
    return day_of(attempt.tools.clock.now(), zone=ZoneInfo(job.time_zone), budget_ms=budget_ms)
