"""Rows of the ledger under workers that race, sleep and die (rules RUN-1, RUN-4, RUN-7, RUN-8, SRC-2, CHT-9)."""

from __future__ import annotations

import asyncio
import uuid
from datetime import timedelta

import pytest

from pipeline.domain.errors import Contention, NotYours, RequestConflict
from storage.transactions.call import record
from storage.transactions.episode.ask import ask
from storage.transactions.run import finish
from storage.transactions.run.cancel import cancel_revision, resume_revision
from storage.transactions.run.claim import CLAIM_DUE, give_up_lapsed, give_up_waiting, heartbeat
from storage.transactions.run.event import event, guarded_event
from storage.transactions.run.promote_due import promote_due
from storage.transactions.source.submit import submit
from storage.tx import transaction
from tests.support.rows import (
    NOW,
    claim_any,
    claimed,
    execute,
    lapse,
    owner_and_chat,
    rows,
    scalar,
    submission,
    submitted,
)


async def test_a_request_sent_again_is_the_first_result(engine):
    """SRC-2."""
    made = await submission(engine)
    async with transaction(engine) as tx:
        first = await submit(tx, made, now=NOW)
    async with transaction(engine) as tx:
        again = await submit(tx, made, now=NOW)
    assert (first[0], first[1], again) == (again[0], True, (first[0], False))
    assert await scalar(engine, "SELECT count(*) FROM generation_run") == 1


async def test_one_key_for_two_payloads_is_refused(engine):
    """SRC-2."""
    made = await submission(engine, request_key="k")
    async with transaction(engine) as tx:
        await submit(tx, made, now=NOW)
    with pytest.raises(RequestConflict):
        async with transaction(engine) as tx:
            await submit(tx, await submission(engine, request_key="k", payload_sha256="other"), now=NOW)


async def test_the_same_file_twice_is_two_sources(engine):
    """SRC-1."""
    assert await submitted(engine) != await submitted(engine)
    assert await scalar(engine, "SELECT count(*) FROM source") == 2


async def test_two_workers_never_claim_one_run(engine):
    await submitted(engine)
    got = await asyncio.gather(*(claimed(engine, holder=f"w{n}") for n in range(8)))
    assert len([run for run in got if run is not None]) == 1


async def test_a_lapsed_lease_passes_on_and_its_old_holder_may_write_nothing(engine):
    await submitted(engine)
    old = await claimed(engine, holder="old")
    assert await claimed(engine, holder="early") is None
    await lapse(engine, old["id"])
    with pytest.raises(Contention):
        async with transaction(engine) as tx:
            await guarded_event(tx, run_id=old["id"], fence=old["fence"], kind="late")
    new = await claimed(engine, holder="new")
    assert (new["id"], new["fence"]) == (old["id"], old["fence"] + 1)
    for act in (
        lambda tx: guarded_event(tx, run_id=old["id"], fence=old["fence"], kind="late"),
        lambda tx: finish.fail(tx, run_id=old["id"], fence=old["fence"], reason="x", values={}, stage="read"),
        lambda tx: finish.cancelled(tx, run_id=old["id"], fence=old["fence"]),
        lambda tx: record.intend(
            tx, run_id=old["id"], fence=old["fence"], ability="tts", provider="p", effect="none", fingerprint="f"
        ),
    ):
        with pytest.raises(Contention):
            async with transaction(engine) as tx:
                await act(tx)
    async with transaction(engine) as tx:
        assert await heartbeat(tx, run_id=old["id"], fence=old["fence"], lease_s=60) is None
        assert await heartbeat(tx, run_id=new["id"], fence=new["fence"], lease_s=60) is False


async def test_the_fourth_lapse_is_the_last(engine):
    """RUN-4: an input that kills its worker cannot loop."""
    await submitted(engine)
    for attempt in range(1, 5):
        run = await claimed(engine)
        assert run["attempts"] == attempt
        await lapse(engine, run["id"])
    assert await claimed(engine) is None
    async with transaction(engine) as tx:
        assert await give_up_lapsed(tx, max_attempts=4) == run["id"]
    assert await rows(engine, "SELECT state, error_reason FROM generation_run") == [("FAILED", "crashed")]


ENDS = {
    "lapsed": lambda tx, run: give_up_lapsed(tx, max_attempts=1),
    "failed": lambda tx, run: finish.fail(tx, run_id=run["id"], fence=run["fence"], reason="x", values={}, stage=None),
    "cancelled": lambda tx, run: finish.cancelled(tx, run_id=run["id"], fence=run["fence"]),
}


@pytest.mark.parametrize("end", [*ENDS, "cancelled while it waited"])
@pytest.mark.parametrize(("effect", "expected"), [("billed", "UNKNOWN"), ("none", "FAILED")])
async def test_a_run_that_ends_leaves_no_intent_open_and_a_late_receipt_still_counts(engine, effect, expected, end):
    """TTS-1: seen after a storm: the last allowed attempt was killed between its call and its receipt."""
    revision = await submitted(engine)
    owner, _ = await owner_and_chat(engine)
    run = await claimed(engine)
    call = {"ability": "tts", "provider": "p", "effect": effect, "fingerprint": "f"}
    async with transaction(engine) as tx:
        made, _ = await record.intend(tx, run_id=run["id"], fence=run["fence"], **call)
    if end == "lapsed":
        await lapse(engine, run["id"])
    if end in ENDS:
        async with transaction(engine) as tx:
            await ENDS[end](tx, run)
    else:
        again = {"due_at": NOW, "reason": "storage_trouble", "values": {}, "stage": None}
        async with transaction(engine) as tx:
            await finish.retry_later(tx, run_id=run["id"], fence=run["fence"], **again)
        async with transaction(engine) as tx:
            assert await cancel_revision(tx, revision_id=revision, owner_id=owner)
    assert await scalar(engine, "SELECT state FROM generation_run") in ("FAILED", "CANCELLED")
    assert await scalar(engine, "SELECT state FROM provider_call") == expected
    receipt = {"request_id": "r", "locator": "l", "expires_at": None, "cost_micro": 1}
    async with transaction(engine) as tx:
        await record.receive(tx, call_id=made, **receipt)
    assert await scalar(engine, "SELECT state FROM provider_call") == ("RECEIPT" if effect == "billed" else "FAILED")


async def test_a_person_puts_a_failed_run_back_as_the_same_run(engine):
    revision = await submitted(engine)
    owner, _ = await owner_and_chat(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        await finish.fail(tx, run_id=run["id"], fence=run["fence"], reason="defect", values={}, stage="find")
    async with transaction(engine) as tx:
        assert await resume_revision(tx, revision_id=revision, owner_id=owner, now=NOW)
    again = await claimed(engine)
    assert (again["id"], again["fence"]) == (run["id"], run["fence"] + 1)


async def test_events_are_numbered_without_holes_whoever_writes(engine):
    """RUN-7."""
    await submitted(engine)
    run = await claimed(engine)

    async def one(number: int) -> None:
        async with transaction(engine) as tx:
            if number % 2:
                await event(tx, run_id=run["id"], kind=f"person {number}")
            else:
                await guarded_event(tx, run_id=run["id"], fence=run["fence"], kind=f"worker {number}")

    await asyncio.gather(*(one(n) for n in range(12)))
    seqs = [seq for (seq,) in await rows(engine, "SELECT seq FROM run_event ORDER BY seq")]
    assert seqs == list(range(1, len(seqs) + 1))
    assert await scalar(engine, "SELECT event_seq FROM generation_run") == len(seqs)


async def test_what_a_dead_attempt_intended_is_failed_or_unknown_by_its_effect(engine):
    """TTS-1."""
    await submitted(engine)
    run = await claimed(engine)
    for effect in ("none", "billed"):
        async with transaction(engine) as tx:
            await record.intend(
                tx,
                run_id=run["id"],
                fence=run["fence"],
                ability="tts",
                provider="p",
                effect=effect,
                fingerprint=effect,
            )
    await lapse(engine, run["id"])
    await claimed(engine)
    assert await rows(engine, "SELECT effect, state FROM provider_call ORDER BY effect") == [
        ("billed", "UNKNOWN"),
        ("none", "FAILED"),
    ]


async def test_a_late_receipt_is_still_a_fact(engine):
    """TTS-1: stored without a fence, however late."""
    await submitted(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        call, seq = await record.intend(
            tx, run_id=run["id"], fence=run["fence"], ability="tts", provider="p", effect="billed", fingerprint="f"
        )
    await lapse(engine, run["id"])
    await claimed(engine)
    async with transaction(engine) as tx:
        await record.receive(tx, call_id=call, request_id="r", locator="l", expires_at=None, cost_micro=3)
    assert await rows(engine, "SELECT state, cost_micro FROM provider_call") == [("RECEIPT", 3)]
    assert seq == 1


# -- questions ------------------------------------------------------------------------------------------------------


async def test_without_a_question_intake_starts_and_the_episode_waits(engine):
    """CHT-9."""
    await submitted(engine, question=None)
    found = await rows(engine, "SELECT kind, state FROM generation_run ORDER BY kind")
    assert found == [("GENERATE", "DEFERRED"), ("INTAKE", "QUEUED")]
    assert (await claimed(engine))["kind"] == "INTAKE"
    assert await claimed(engine) is None


async def test_the_question_fills_the_waiting_revision(engine):
    revision = await submitted(engine, question=None)
    owner, _ = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        assert (
            await ask(tx, owner_id=owner, revision_id=revision, question="几点？", by="person", settings={}, now=NOW)
            == revision
        )
    assert await rows(engine, "SELECT question, question_by FROM episode_revision") == [("几点？", "person")]
    run = await claimed(engine)
    assert run["kind"] == "INTAKE"  # the episode's own run waits until the source has been read
    async with transaction(engine) as tx:
        await guarded_event(tx, run_id=run["id"], fence=run["fence"], kind="intake_done")
        await finish.succeeded(tx, run_id=run["id"])
    assert (await claimed(engine))["kind"] == "GENERATE"


async def test_a_question_that_nobody_gives_becomes_the_stated_default(engine):
    await submitted(engine, question=None)
    async with transaction(engine) as tx:
        assert await promote_due(tx, default_question="讲要点", now=NOW + timedelta(seconds=119)) is None
    async with transaction(engine) as tx:
        assert await promote_due(tx, default_question="讲要点", now=NOW + timedelta(seconds=120)) is not None
    assert await rows(engine, "SELECT question, question_by FROM episode_revision") == [("讲要点", "default")]


async def test_a_question_at_the_last_moment_and_the_default_do_not_both_win(engine):
    revision = await submitted(engine, question=None)
    owner, _ = await owner_and_chat(engine)

    async def default() -> None:
        async with transaction(engine) as tx:
            await promote_due(tx, default_question="讲要点", now=NOW + timedelta(seconds=120))

    async def person() -> int:
        async with transaction(engine) as tx:
            return await ask(
                tx, owner_id=owner, revision_id=revision, question="几点？", by="person", settings={}, now=NOW
            )

    _, answering = await asyncio.gather(default(), person())
    # Either it came in time, or it is a question changed later: the person's question is answered in both cases.
    assert await scalar(engine, "SELECT question FROM episode_revision WHERE id = :id", id=answering) == "几点？"
    assert await scalar(engine, "SELECT count(*) FROM generation_run WHERE kind = 'GENERATE' AND state = 'QUEUED'") == 1


async def test_another_question_is_a_new_revision_and_stops_the_old_run(engine):
    first = await submitted(engine)
    owner, _ = await owner_and_chat(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        second = await ask(tx, owner_id=owner, revision_id=first, question="谁？", by="person", settings={}, now=NOW)
    assert await rows(engine, "SELECT id, number, episode_id FROM episode_revision ORDER BY id") == [
        (first, 1, 1),
        (second, 2, 1),
    ]
    async with transaction(engine) as tx:
        assert await heartbeat(tx, run_id=run["id"], fence=run["fence"], lease_s=60) is True


async def test_another_question_after_publication_is_another_episode(engine):
    """PUB-3: published = fixed."""
    first = await submitted(engine)
    owner, _ = await owner_and_chat(engine)
    await execute(engine, "UPDATE episode SET state = 'PUBLISHED', published_revision_id = :id", id=first)
    async with transaction(engine) as tx:
        await ask(tx, owner_id=owner, revision_id=first, question="谁？", by="person", settings={}, now=NOW)
    assert await scalar(engine, "SELECT count(*) FROM episode") == 2
    assert await scalar(engine, "SELECT published_revision_id FROM episode WHERE state = 'PUBLISHED'") == first


async def test_nobody_asks_about_what_is_not_theirs(engine):
    revision = await submitted(engine)
    with pytest.raises(NotYours):
        async with transaction(engine) as tx:
            await ask(tx, owner_id=999, revision_id=revision, question="谁？", by="person", settings={}, now=NOW)


async def test_cancelling_ends_what_waits_and_asks_what_runs(engine):
    owner, _ = await owner_and_chat(engine)
    waiting = await submitted(engine, question=None)
    async with transaction(engine) as tx:
        assert await cancel_revision(tx, revision_id=waiting, owner_id=owner)
    async with transaction(engine) as tx:
        assert not await cancel_revision(tx, revision_id=waiting, owner_id=owner)
    assert {s for (s,) in await rows(engine, "SELECT state FROM generation_run")} == {"CANCELLED"}
    running = await submitted(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        assert await cancel_revision(tx, revision_id=running, owner_id=owner)
    async with transaction(engine) as tx:
        await finish.cancelled(tx, run_id=run["id"], fence=run["fence"])
    assert await scalar(engine, "SELECT state FROM generation_run WHERE id = :id", id=run["id"]) == "CANCELLED"


async def test_only_one_worker_serves_one_revision_when_told_so(engine):
    await submitted(engine)
    wanted = await submitted(engine)
    async with transaction(engine) as tx:
        run = await claim_any(
            tx, holder="make", attempt=uuid.uuid4(), lease_s=60, max_attempts=4, now=NOW, only_revision=wanted
        )
    assert run["revision_id"] == wanted


async def test_a_claim_reads_the_queue_in_order_and_does_not_sort_it(engine):
    """However long the backlog is, and although nobody has counted it yet, a claim stops at its first row."""
    for _ in range(40):
        await submitted(engine)
    given = {
        "holder": "h",
        "attempt": uuid.uuid4(),
        "lease_s": 60.0,
        "max_attempts": 4,
        "only": None,
        "now": NOW + timedelta(hours=1),
    }
    async with transaction(engine) as tx:
        plan = [row[0] for row in await tx.rows("EXPLAIN " + CLAIM_DUE, **given)]
    assert any("Index Scan using ix_generation_run_due" in line for line in plan)
    assert not any("Sort" in line for line in plan)


async def test_a_run_that_waits_for_a_try_it_may_not_have_fails_for_the_reason_of_its_last(engine):
    """RUN-4: the limit was lowered while it waited; nobody would ever claim it."""
    await submitted(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        await finish.retry_later(
            tx, run_id=run["id"], fence=run["fence"], due_at=NOW, reason="fetch.timeout", values={}, stage="fetch"
        )
    async with transaction(engine) as tx:
        assert await give_up_waiting(tx, max_attempts=2) is None
    async with transaction(engine) as tx:
        assert await give_up_waiting(tx, max_attempts=1) == run["id"]
        assert await give_up_waiting(tx, max_attempts=1) is None
    assert await rows(engine, "SELECT state, error_reason FROM generation_run") == [("FAILED", "fetch.timeout")]
    assert await scalar(engine, "SELECT kind FROM run_event ORDER BY seq DESC LIMIT 1") == "gave_up"
    assert await scalar(engine, "SELECT count(*) FROM outbox_message WHERE kind = 'receipt' AND state = 'queued'") == 1
