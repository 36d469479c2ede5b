"""A person's act that comes late: after another question took its place, after the text was used, as a run is put off."""

from __future__ import annotations

from datetime import timedelta

from pipeline.commands.episode import Asking, ask_question, retry
from pipeline.domain.source import InputType
from storage.transactions.run import finish
from storage.transactions.run.cancel import cancel_revision
from storage.transactions.source.capture import Bytes, supply
from storage.tx import transaction
from tests.support.rows import NOW, claimed, execute, owner_and_chat, scalar, submitted

STATE = "SELECT state FROM generation_run WHERE revision_id = :r AND kind = 'GENERATE'"
GIVEN = Bytes(InputType.PASTE, "o/1/bb/bb", "b" * 64, 3)


async def failed(engine, *, reason: str) -> int:
    revision = await submitted(engine)
    await execute(
        engine,
        "UPDATE generation_run SET state = 'FAILED', error_reason = :why, finished_at = now() WHERE revision_id = :r",
        r=revision,
        why=reason,
    )
    return revision


async def given(engine, revision: int) -> bool:
    owner, _ = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        return await supply(tx, GIVEN, owner_id=owner, revision_id=revision, way="pasted", now=NOW)


async def test_what_another_question_replaced_is_not_taken_up_again(engine):
    """CHT-5, MDL-4: it could never be published, so nothing is read, written or paid for it."""
    owner, _ = await owner_and_chat(engine)
    first = await failed(engine, reason="provider_refused")
    async with transaction(engine) as tx:
        await ask_question(
            tx,
            owner_id=owner,
            revision_id=first,
            question="还有呢？",
            by="person",
            asking=Asking(120.0, {}),
            now=NOW,
        )
    async with transaction(engine) as tx:
        assert not await retry(tx, owner_id=owner, revision_id=first, now=NOW)
    assert not await given(engine, first)
    assert await scalar(engine, STATE, r=first) == "FAILED"


async def test_a_text_that_comes_after_a_script_was_made_does_not_slip_under_it(engine):
    """SRC-3, TTS-1: a run that waits for a decision about money, or whose script rests on a text, keeps its source."""
    revision = await failed(engine, reason="outcome_unknown")
    await execute(
        engine,
        "UPDATE generation_run SET state = 'WAITING_REVIEW', finished_at = NULL WHERE revision_id = :r",
        r=revision,
    )
    assert not await given(engine, revision)
    assert await scalar(engine, STATE, r=revision) == "WAITING_REVIEW"
    assert await scalar(engine, "SELECT count(*) FROM source_capture") == 0


async def test_a_run_that_is_put_off_while_a_person_cancels_it_is_cancelled(engine):
    """RUN-2: otherwise it says that it is stopping until tomorrow, and nobody can press anything."""
    for put_off in ("deferred", "retry_later"):
        revision = await submitted(engine)
        owner, _ = await owner_and_chat(engine)
        run = await claimed(engine)
        async with transaction(engine) as tx:
            assert await cancel_revision(tx, revision_id=revision, owner_id=owner)
        mine = {"run_id": run["id"], "fence": run["fence"], "due_at": NOW + timedelta(days=1)}
        async with transaction(engine) as tx:
            if put_off == "deferred":
                await finish.deferred(tx, reason="no_room", **mine)
            else:
                await finish.retry_later(tx, reason="provider_unreachable", values={}, stage="speak", **mine)
        assert await scalar(engine, STATE, r=revision) == "CANCELLED", put_off
