"""What is sent arrives once, at the pace that is allowed, and a lost part costs itself (rules CHT-2, CHT-3, CHT-7)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from eval.simulators.botapi.log import doubled, pace
from pipeline.domain.errors import ProductError
from storage.transactions.outbox.claim import FenceLost
from storage.transactions.outbox.enqueue import say, show_progress
from storage.tx import transaction
from tests.support.rows import execute, rows, scalar, submitted
from tests.support.telegram import line

STATES = "SELECT state FROM outbox_message ORDER BY id"


@pytest.fixture
async def ann(engine):
    async with line(engine) as made:
        yield made


async def note(ann, key: str = "help", chat: int | None = None, **values: str) -> int:
    async with transaction(ann.engine) as tx:
        return await say(tx, chat_id=chat or await ann.chat(), kind="note", args={"key": key, "values": values})


async def long(ann, parts: int) -> int:
    """A note of so many parts: a title that fills them is asked about."""
    await ann.chat()
    return await note(ann, "ask_question", title="\n\n".join(f"{n}" + "冰" * 4000 for n in range(1, parts + 1)))


async def drained(ann, gateway, *, timeout_s: float = 30) -> None:
    """Send until nothing is queued."""
    async with asyncio.timeout(timeout_s):
        while await scalar(ann.engine, "SELECT count(*) FROM outbox_message WHERE state IN ('queued', 'sending')"):
            if not await gateway.send_one():
                await asyncio.sleep(0.05)


async def test_a_long_text_goes_in_parts_at_our_own_blocks(ann):
    """CHT-4."""
    await long(ann, 3)
    await drained(ann, ann.gateway())
    view = await ann.ann.chat.view()
    assert len(view.bot) == 3
    assert [m.text.strip("「关于 \n")[:2] for m in view.bot] == ["1冰", "2冰", "3冰"]
    assert all(len(m.text) <= 4096 for m in view.bot)
    assert view.bot[1].reply_to == view.bot[0].message_id
    assert await rows(ann.engine, "SELECT part, parts, state FROM outbox_message ORDER BY part") == [
        (n, 3, "sent") for n in (1, 2, 3)
    ]


async def test_part_two_of_three_that_timed_out_is_unknown_alone_and_a_person_sends_it_again(ann):
    """CHT-2: delivered or not, nobody knows; later parts still go, and the person decides."""
    await ann.telegram.fail("lost", "sendMessage", skip=1)
    await long(ann, 3)
    async with ann.running():
        view = await ann.ann.chat.until(lambda v: any("再发一次" in m.labels for m in v.bot))
        assert await rows(ann.engine, "SELECT state FROM outbox_message WHERE kind = 'note' ORDER BY part") == [
            ("sent",),
            ("unknown",),
            ("sent",),
        ]
        assert len([m for m in view.bot if "冰" in m.text]) == 3  # it had arrived; the machine did not repeat it
        assert not doubled(await ann.telegram.log())
        offer = next(m for m in view.bot if "再发一次" in m.labels)
        assert "第 2 段（共 3 段）" in offer.text
        press = await ann.ann.press(offer, "再发一次")
        answer = await press.answered()
        assert (answer.text, answer.after_s < 1) == ("", True)
        view = await ann.ann.chat.until(lambda v: len([m for m in v.bot if "冰" in m.text]) == 4)
        await ann.ann.chat.until(lambda v: not next(m for m in v.bot if m.message_id == offer.message_id).labels)
        again = await (await ann.ann.press(offer, offer.buttons[0][0]["callback_data"], stale=True)).answered()
        assert "不会发第二遍" in again.text
    assert await scalar(ann.engine, "SELECT state FROM outbox_message WHERE part = 2") == "sent"


@pytest.mark.parametrize(("fault", "more"), [("lost", {}), ("garbled", {}), ("status", {"status": 502, "done": True})])
async def test_what_may_have_arrived_is_not_sent_again_by_the_machine(ann, fault, more):
    """CHT-2, class once."""
    await ann.telegram.fail(fault, "sendMessage", **more)
    await note(ann)
    gateway = ann.gateway()
    await gateway.send_one()
    ann.clock.ahead = timedelta(minutes=5)
    await drained(ann, gateway)
    assert await scalar(ann.engine, "SELECT state FROM outbox_message WHERE kind = 'note'") == "unknown"
    assert not doubled(await ann.telegram.log())


async def test_a_guarded_message_that_may_be_lost_is_sent_anew_after_a_while(ann):
    """CHT-2, class guarded: after 30 s."""
    await ann.telegram.fail("mute", "sendMessage")
    chat = await ann.chat()
    async with transaction(ann.engine) as tx:
        await say(tx, chat_id=chat, kind="note", args={"key": "help", "values": {}}, class_="guarded")
    await execute(ann.engine, "UPDATE outbox_message SET state = 'unknown', claimed_at = now(), fence = 1")
    stopping = asyncio.Event()
    serving = asyncio.create_task(ann.gateway().serve(stopping))
    await ann.telegram.do("heal")
    await asyncio.sleep(0.5)
    assert (await ann.ann.chat.view()).bot == []
    ann.clock.ahead = timedelta(seconds=31)
    await ann.ann.chat.until(lambda v: len(v.bot) == 1)
    stopping.set()
    await serving


async def test_a_connection_that_was_never_made_costs_nothing(ann):
    """CHT-2: queued again, sent once."""
    await note(ann)
    api, base = ann.connection.bot.session.api, ann.connection.bot.session.api.base
    object.__setattr__(api, "base", "http://127.0.0.1:1/bot{token}/{method}")
    gateway = ann.gateway()
    await gateway.send_one()
    assert await rows(ann.engine, STATES) == [("queued",)]
    object.__setattr__(api, "base", base)
    ann.clock.ahead = timedelta(seconds=3)
    await drained(ann, gateway)
    assert len((await ann.ann.chat.view()).bot) == 1


async def test_a_ban_of_forty_seconds_is_kept_by_a_restart_and_stalls_no_other_chat(ann):
    """CHT-3: blocked_until is a row; asking on during a ban would make it longer."""
    bo = await ann.telegram.user("Bo")
    hers, his = await ann.chat(), await ann.chat(bo.id)
    await ann.telegram.fail("flood", "sendMessage", chat_id=ann.ann.id, seconds=40)
    await note(ann, chat=hers)
    gateway = ann.gateway()
    await gateway.send_one()
    await note(ann, chat=his)
    await asyncio.sleep(0.1)  # all chats together have a pace, too
    await gateway.send_one()
    assert len((await bo.chat.view()).bot) == 1
    await gateway.end()
    restarted = ann.gateway()
    assert not await restarted.send_one()
    left = await scalar(ann.engine, "SELECT extract(epoch FROM blocked_until - now()) FROM chat WHERE id = :c", c=hers)
    assert 35 < left <= 40
    assert await scalar(ann.engine, "SELECT blocked_until FROM gateway") is None
    ann.clock.ahead = timedelta(seconds=41)
    await ann.telegram.advance(41)
    await drained(ann, restarted)
    assert len((await ann.ann.chat.view()).bot) == 1
    assert [c.status for c in await ann.telegram.log() if c.method == "sendMessage"].count(429) == 1


async def test_a_second_ban_while_one_stands_shuts_the_token(ann):
    """CHT-3: a 429 does not say whom it means."""
    bo = await ann.telegram.user("Bo")
    hers, his = await ann.chat(), await ann.chat(bo.id)
    await ann.telegram.fail("flood", "sendMessage", seconds=40, times=2)
    for chat in (hers, his):
        await note(ann, chat=chat)
    gateway = ann.gateway()
    for _ in range(2):
        await gateway.send_one()
        ann.clock.ahead += timedelta(milliseconds=100)
    assert await scalar(ann.engine, "SELECT blocked_until > now() + interval '30 s' FROM gateway")


async def test_the_pace_is_kept_in_a_chat_a_group_and_over_all(ann):
    """CHT-3: counted on the simulator's clock, with its flood control on."""
    people = [ann.ann, *[await ann.telegram.user(f"P{n}") for n in range(5)]]
    group = await ann.telegram.group(ann.ann)
    chats = [await ann.chat(p.id) for p in people] + [await ann.chat(group.id)]
    await execute(ann.engine, "UPDATE chat SET grouped = external_id LIKE '-%'")
    for _ in range(3):
        for chat in chats:
            await note(ann, chat=chat)
    stopping = asyncio.Event()
    serving = asyncio.create_task(ann.gateway().serve(stopping))
    async with asyncio.timeout(30):
        while await scalar(ann.engine, "SELECT count(*) FROM outbox_message WHERE state <> 'sent'"):
            await asyncio.sleep(0.1)
    stopping.set()
    await serving
    log = await ann.telegram.log()
    assert pace(log, group_per_min=18) == []
    assert not [c for c in log if c.status == 429]


async def test_of_two_gateways_the_older_stops_without_sending(ann):
    """CHT-3: it lost its connection, slept, and wakes between its claim and its request."""
    await note(ann)
    newer = ann.gateway()

    async def takes_over() -> None:
        await execute(ann.engine, "UPDATE gateway SET lease_until = now() - interval '1 s'")
        assert await newer.begin()

    older = ann.gateway()
    assert await older.begin()
    rendered = older._renderer.render  # noqa: SLF001 - the moment between claim and request

    class Sleepy:
        async def render(self, **of: object):
            await takes_over()
            return await rendered(**of)

    older._renderer = Sleepy()  # noqa: SLF001
    with pytest.raises(FenceLost):
        await older.send_one()
    assert [c for c in await ann.telegram.log() if c.method == "sendMessage"] == []
    with pytest.raises(FenceLost):
        await older.send_one()
    await drained(ann, newer)
    assert not doubled(await ann.telegram.log())
    assert len([m for m in (await ann.ann.chat.view()).bot if m.text.startswith("发一个")]) == 1


async def test_a_second_gateway_waits_for_the_lease(ann):
    first, second = ann.gateway(lease_s=0.6), ann.gateway(lease_s=0.6)
    assert await first.begin()
    assert not await second.begin()
    await asyncio.sleep(0.7)
    assert await second.begin()


async def test_a_blocked_user_ends_their_chat_and_nobody_elses(ann):
    """CHT-2: 403; what waits is cancelled; whoever comes back is served again."""
    await note(ann)
    await note(ann)
    await ann.ann.block()
    gateway = ann.gateway()
    await gateway.send_one()
    assert await rows(ann.engine, STATES) == [("failed",), ("cancelled",)]
    assert await scalar(ann.engine, "SELECT deactivated_at IS NOT NULL FROM chat WHERE channel = 'telegram'")
    await ann.ann.unblock()
    await ann.ann.send("/help")
    async with ann.running():
        await gateway.end()
        await ann.ann.chat.until(lambda v: v.bot)


async def test_a_group_that_moved_gets_its_message_at_the_new_address(ann):
    """CHT-2."""
    group = await ann.telegram.group(ann.ann)
    chat = await ann.chat(group.id)
    moved = await ann.ann.upgrade(group)
    await note(ann, chat=chat)
    await drained(ann, ann.gateway())
    assert len([m for m in (await moved.view()).bot]) == 1
    assert await scalar(ann.engine, "SELECT external_id FROM chat WHERE id = :c", c=chat) == str(moved.id)


async def test_progress_is_edited_in_place_skipped_when_equal_and_made_again_only_if_needed(ann):
    """CHT-2, CHT-3: at most once in 3 s; "message to edit not found" is no error."""
    chat = await ann.chat()
    revision = await submitted(ann.engine, chat_id=chat)
    gateway = ann.gateway()
    await drained(ann, gateway)
    (first,) = (await ann.ann.chat.view()).bot

    async def shown() -> None:
        async with transaction(ann.engine) as tx:
            await show_progress(tx, chat_id=chat, kind="receipt", subject_id=revision)

    await shown()
    assert not await gateway.send_one()  # it rests
    ann.clock.ahead += timedelta(seconds=4)
    await drained(ann, gateway)
    assert [c.method for c in await ann.telegram.log() if c.paced] == ["sendMessage"]  # equal: no request
    await execute(ann.engine, "UPDATE generation_run SET cancel_requested = true")
    await ann.telegram.call("deleteMessage", chat_id=ann.ann.id, message_id=first.message_id)
    await shown()
    ann.clock.ahead += timedelta(seconds=4)
    await drained(ann, gateway)
    ann.clock.ahead += timedelta(seconds=4)
    await drained(ann, gateway)
    (second,) = (await ann.ann.chat.view()).bot
    assert second.message_id != first.message_id
    await execute(ann.engine, "UPDATE generation_run SET state = 'CANCELLED', finished_at = now()")
    await ann.telegram.call("deleteMessage", chat_id=ann.ann.id, message_id=second.message_id)
    await shown()
    ann.clock.ahead += timedelta(seconds=4)
    await drained(ann, gateway)
    assert (await ann.ann.chat.view()).bot == []


async def test_after_a_restart_an_unfinished_message_shows_the_true_state(ann):
    """CHT-7."""
    chat = await ann.chat()
    await submitted(ann.engine, chat_id=chat)
    gateway = ann.gateway()
    await drained(ann, gateway)
    await gateway.end()
    await execute(ann.engine, "DELETE FROM outbox_message WHERE state = 'queued'")
    await execute(ann.engine, "UPDATE generation_run SET state = 'CANCELLED', finished_at = now()")
    ann.clock.ahead = timedelta(seconds=5)
    restarted = ann.gateway()
    await restarted.begin()
    await drained(ann, restarted)
    (message,) = (await ann.ann.chat.view()).bot
    assert message.before
    assert "取消" in message.text


async def test_no_secret_reaches_the_ledger(ann):
    """CHT-8."""
    await ann.telegram.fail("drop", "sendMessage", times=-1)
    await note(ann)
    await ann.gateway().send_one()
    token = ann.telegram.token
    found = await scalar(
        ann.engine, "SELECT count(*) FROM outbox_message WHERE position(:t IN outbox_message::text) > 0", t=token
    )
    assert found == 0
    assert issubclass(FenceLost, Exception)
    assert not issubclass(FenceLost, ProductError)
