"""Everything sent is a row first; the newest state wins; nothing is said twice (rules CHT-1, CHT-2, CHT-3, CHT-7)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from pipeline.domain.errors import RequestConflict
from pipeline.domain.sending import Pace
from storage.transactions.chat.deliver import deliver
from storage.transactions.chat.store_update import store_update
from storage.transactions.gateway import lease
from storage.transactions.outbox.claim import claim
from storage.transactions.outbox.enqueue import say, show_progress
from storage.transactions.outbox.settle import recover, sent
from storage.transactions.owner.set_language import set_language
from storage.tx import transaction
from tests.support.rows import owner_and_chat, rows, scalar

LATER = datetime(2100, 1, 1, tzinfo=UTC)


FENCE = 1


async def take(engine, *, pace_s: float = 0.0, now: datetime = LATER):
    """Claim as the one gateway of this test, which takes the right to send the first time."""
    async with transaction(engine) as tx:
        await lease.take(tx, name="web", lease_s=60)
    async with transaction(engine) as tx:
        got = await claim(tx, channel="web", name="web", fence=FENCE, pace=Pace(edit_s=pace_s), now=now)
    return None if got is None else got[0]


async def put(engine, chat: int, row, payload: dict[str, object], target: int | None = None) -> int:
    async with transaction(engine) as tx:
        return await deliver(
            tx,
            chat_id=chat,
            outbox_id=row["id"],
            target_id=target,
            author="bot",
            kind=row["kind"],
            subject_id=row["subject_id"],
            args={},
            payload=payload,
        )


async def test_progress_that_waits_is_not_doubled(engine):
    _, chat = await owner_and_chat(engine)
    for _ in range(3):
        async with transaction(engine) as tx:
            await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    assert await scalar(engine, "SELECT count(*) FROM outbox_message") == 1


async def test_a_state_written_while_the_last_is_being_sent_is_sent_too(engine):
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    first = await take(engine)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    assert await take(engine) is None  # the chat has a message on its way
    async with transaction(engine) as tx:
        await sent(tx, first["id"], fence=FENCE)
    assert await take(engine) is not None


async def test_a_claim_waits_for_a_state_that_is_being_written(engine):
    """The race that DO NOTHING would lose: the writer holds the waiting row until it commits."""
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
        assert await take(engine) is None
    assert await take(engine) is not None


async def test_edits_keep_the_channels_pace_and_answers_go_first(engine):
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    row = await take(engine)
    await put(engine, chat, row, {"v": 1})
    async with transaction(engine) as tx:
        await sent(tx, row["id"], fence=FENCE)
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    now = await scalar(engine, "SELECT now()")
    assert await take(engine, pace_s=3.0, now=now + timedelta(seconds=1)) is None
    async with transaction(engine) as tx:
        await say(tx, chat_id=chat, kind="note", args={"key": "help"})
    assert (await take(engine, pace_s=3.0, now=now + timedelta(seconds=5)))["kind"] == "note"


async def test_a_row_delivered_twice_is_one_message(engine):
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await say(tx, chat_id=chat, kind="voice", subject_id=7)
    row = await take(engine)
    assert await put(engine, chat, row, {"v": 1}) == await put(engine, chat, row, {"v": 1})
    assert await rows(engine, "SELECT count(*), max(seq) FROM chat_message") == [(1, 1)]


async def test_an_edit_takes_a_new_seq_and_an_unchanged_one_does_not(engine):
    """RUN-7."""
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await say(tx, chat_id=chat, kind="voice", subject_id=7)
    row = await take(engine)
    message = await put(engine, chat, row, {"v": 1})
    await put(engine, chat, row, {"v": 1}, target=message)
    assert await scalar(engine, "SELECT seq FROM chat_message") == 1
    await put(engine, chat, row, {"v": 2}, target=message)
    assert await scalar(engine, "SELECT seq FROM chat_message") == 2


@pytest.mark.parametrize(("idempotent", "states"), [(True, ["queued", "queued"]), (False, ["unknown", "queued"])])
async def test_what_a_dead_gateway_was_sending(engine, idempotent, states):
    """CHT-2: a voice note may have arrived; progress is sent anew."""
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await say(tx, chat_id=chat, kind="voice", subject_id=7)
    await take(engine)
    async with transaction(engine) as tx:
        await tx.run(
            "INSERT INTO outbox_message (chat_id, class, kind, subject_id, state) VALUES (:c, 'progress', 'receipt', 7, 'sending')",
            c=chat,
        )
    async with transaction(engine) as tx:
        await recover(tx, channel="web", idempotent=idempotent)
    assert [s for (s,) in await rows(engine, "SELECT state FROM outbox_message WHERE id <= 2 ORDER BY id")] == states
    offers = await rows(engine, "SELECT kind, subject_id, class, state FROM outbox_message WHERE id > 2")
    assert offers == ([] if idempotent else [("lost", 1, "guarded", "queued")])


async def test_a_progress_row_that_was_overtaken_is_not_sent_again(engine):
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
    await take(engine)
    async with transaction(engine) as tx:
        await show_progress(tx, chat_id=chat, kind="receipt", subject_id=7)
        await recover(tx, channel="web", idempotent=True)
    assert [s for (s,) in await rows(engine, "SELECT state FROM outbox_message ORDER BY id")] == ["failed", "queued"]


async def test_an_update_is_stored_once_and_its_words_stand_once(engine):
    """CHT-1."""
    _, chat = await owner_and_chat(engine)
    payload = {"type": "message", "text": "你好", "files": []}

    async def store() -> tuple[int, bool]:
        async with transaction(engine) as tx:
            return await store_update(
                tx, channel="web", external_id="u1", chat_id=chat, payload=payload, said={"text": "你好"}
            )

    results = await asyncio.gather(store(), store(), store())
    assert sorted(new for _, new in results) == [False, False, True]
    assert await scalar(engine, "SELECT count(*) FROM chat_message") == 1
    with pytest.raises(RequestConflict):
        async with transaction(engine) as tx:
            await store_update(tx, channel="web", external_id="u1", chat_id=chat, payload={"type": "other"})


async def test_a_changed_language_brings_the_bots_messages_to_it(engine):
    owner, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await say(tx, chat_id=chat, kind="voice", subject_id=7)
    row = await take(engine)
    message = await put(engine, chat, row, {"v": 1})
    async with transaction(engine) as tx:
        assert await set_language(tx, owner_id=owner, language="en")
        assert not await set_language(tx, owner_id=owner, language="en")
    assert await rows(engine, "SELECT class, target_id FROM outbox_message WHERE id > :id", id=row["id"]) == [
        ("guarded", message)
    ]
