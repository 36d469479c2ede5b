"""A hundred transactions at once over few connections: publish, reschedule, cancel, retry. None deadlocks (RUN-5)."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from datetime import date, timedelta

import pytest

from pipeline.domain.errors import AudioRejected, Contention, LockOrderViolation
from pipeline.domain.plan import Day
from storage.engine import engine_of
from storage.locks import Lock
from storage.transactions.episode.ask import ask
from storage.transactions.publish.publish_episode import Published, publish_episode
from storage.transactions.run.cancel import cancel_revision, resume_revision
from storage.transactions.run.promote_due import promote_due
from storage.transactions.source.capture import Bytes, supply
from storage.tx import transaction
from tests.support.rows import NOW, claim_any, execute, owner_and_chat, rows, scalar, submitted

EPISODES, ACTS, CONNECTIONS = 12, 100, 40
DAY = Day(date(2026, 3, 1), 600_000)


async def ready(engine, owner: int) -> int:
    """A revision whose audio waits to be published, and whose run is somebody's."""
    revision = await submitted(engine)
    content = json.dumps({"mp3": {"sha256": "m"}})
    async with transaction(engine) as tx:
        artifact = (
            await tx.one(
                "INSERT INTO stage_artifact (owner_id, kind, input_fingerprint, content, content_sha256)"
                " VALUES (:o, 'audio', :f, cast(:c AS jsonb), 'x') RETURNING id",
                o=owner,
                f=str(uuid.uuid4()),
                c=content,
            )
        )["id"]
    await execute(
        engine,
        "UPDATE episode_revision SET state = 'AUDIO_READY', audio_artifact_id = :a, script_artifact_id = :a,"
        " duration_ms = 100000 WHERE id = :r",
        a=artifact,
        r=revision,
    )
    return revision


async def claim(engine, revision: int):
    async with transaction(engine) as tx:
        return await claim_any(
            tx, holder="s", attempt=uuid.uuid4(), lease_s=60, max_attempts=100, now=NOW, only_revision=revision
        )


async def publish(engine, revision: int) -> Published | None:
    run = await claim(engine, revision)
    if run is None:
        return None
    async with transaction(engine) as tx:
        return await publish_episode(
            tx,
            run_id=run["id"],
            fence=run["fence"],
            revision_id=revision,
            mp3_sha256="m",
            done={},
            day=DAY,
            next_day=NOW + timedelta(days=1),
        )


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_hundred_at_once_end_without_a_deadlock(engine, database_url, seed):
    """RUN-5, PUB-2: the day's sum holds, and every episode is published once at most."""
    owner, _ = await owner_and_chat(engine)
    revisions = [await ready(engine, owner) for _ in range(EPISODES)]
    pool = engine_of(database_url, pool_size=CONNECTIONS, max_overflow=0)
    chance = random.Random(seed)
    supplied = Bytes("text", "o/1/bb/bb", "bb", 2)

    async def act(number: int) -> str:
        revision = chance.choice(revisions)
        kind = ("publish", "publish", "reschedule", "cancel", "retry", "ask", "supply")[number % 7]
        try:
            if kind == "publish":
                await publish(pool, revision)
                return kind
            async with transaction(pool) as tx:
                if kind == "reschedule":
                    await promote_due(tx, default_question="q", now=NOW + timedelta(days=2))
                elif kind == "cancel":
                    await cancel_revision(tx, revision_id=revision, owner_id=owner)
                elif kind == "retry":
                    await resume_revision(tx, revision_id=revision, owner_id=owner, now=NOW)
                elif kind == "ask":
                    await ask(
                        tx, owner_id=owner, revision_id=revision, question="别的？", by="person", settings={}, now=NOW
                    )
                else:
                    await supply(tx, supplied, owner_id=owner, revision_id=revision, way="pasted", now=NOW)
        except (Contention, AudioRejected) as error:
            return f"{kind}: {type(error).__name__}"
        return kind

    try:
        done = await asyncio.gather(*(act(number) for number in range(ACTS)))
    finally:
        await pool.dispose()
    assert len(done) == ACTS
    await asyncio.sleep(0.6)  # the statistics of a closed connection come in late
    assert await scalar(engine, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == 0
    assert await scalar(engine, "SELECT coalesce(sum(duration_ms), 0) FROM plan_item") <= DAY.budget_ms
    published = await rows(engine, "SELECT published_revision_id FROM episode WHERE state = 'PUBLISHED'")
    assert published
    voices = "SELECT count(*), count(DISTINCT subject_id) FROM outbox_message WHERE kind = 'voice'"
    assert await rows(engine, voices) == [(len(published), len(published))]


async def test_a_transaction_out_of_order_is_refused_before_it_can_wait(engine):
    """RUN-5: whoever breaks the order hears it in every test, not once a month from the database."""
    revision = await submitted(engine)
    with pytest.raises(LockOrderViolation):
        async with transaction(engine) as tx:
            tx.holding(Lock.RUN, 1)
            await tx.lock(Lock.EPISODE, revision, "SELECT id FROM episode WHERE id = :id FOR NO KEY UPDATE")
    with pytest.raises(LockOrderViolation):
        async with transaction(engine) as tx:
            tx.holding(Lock.RUN, 2)
            tx.holding(Lock.RUN, 1)


async def test_a_publication_waits_for_the_plan_and_the_sum_holds_to_the_millisecond(engine, database_url):
    """PUB-1, PUB-2: eight at once, 100 s each, a day of 600 s: six fit."""
    owner, _ = await owner_and_chat(engine)
    revisions = [await ready(engine, owner) for _ in range(8)]
    pool = engine_of(database_url, pool_size=8)
    try:
        outcomes = await asyncio.gather(*(publish(pool, revision) for revision in revisions))
    finally:
        await pool.dispose()
    assert sorted(outcomes) == [Published.NO_ROOM] * 2 + [Published.NOW] * 6
    assert await scalar(engine, "SELECT sum(duration_ms) FROM plan_item") == DAY.budget_ms
    late = await rows(engine, "SELECT state, error_reason FROM generation_run WHERE state = 'DEFERRED'")
    assert late == [("DEFERRED", "no_room")] * 2
