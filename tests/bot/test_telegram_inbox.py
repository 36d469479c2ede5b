"""What people send on Telegram is stored once, in order, whatever it is (rules CHT-1, CHT-9, SEC-1)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.channels.telegram.poll import Poller
from eval.simulators.botapi.users import from_channel, from_hidden
from storage.engine import engine_of
from storage.transactions.outbox.enqueue import say
from storage.tx import transaction
from tests.contract.test_botapi_files import picture
from tests.support.rows import execute, rows, scalar
from tests.support.sounds import sound
from tests.support.telegram import line

TEXT = "湖面在十二月结冰，冰层厚三十厘米。人们在冰上凿洞取水。".encode()
NOTES = "SELECT args->>'key' FROM outbox_message WHERE kind = 'note' ORDER BY id"


@pytest.fixture
async def ann(engine):
    async with line(engine) as made:
        await made.telegram.limits(flood=False)
        yield made


async def settled(ann, count: int) -> None:
    """``count`` updates have been handled or set aside, and none waits."""
    async with asyncio.timeout(20):
        while await scalar(ann.engine, "SELECT count(*) FROM inbox_update WHERE state <> 'stored'") < count:
            await asyncio.sleep(0.05)
    assert await scalar(ann.engine, "SELECT count(*) FROM inbox_update WHERE state = 'stored'") == 0


async def test_a_poison_update_blocks_nobody(ann):
    """CHT-1: what cannot be read is set aside with its reason, and what comes before and after it is handled."""
    await ann.ann.send("https://e.example/1 为什么？")
    await ann.telegram.push(message={"message_id": "nine", "from": {"id": ann.ann.id}, "chat": {}, "date": "soon"})
    await ann.telegram.push(poll_answer={"poll_id": "1", "option_ids": []})
    await ann.ann.send("https://e.example/2 怎么做？")
    async with ann.running(sending=False):
        await settled(ann, 4)
    assert await rows(ann.engine, "SELECT origin FROM source ORDER BY id") == [
        ("https://e.example/1",),
        ("https://e.example/2",),
    ]
    reasons = await rows(ann.engine, "SELECT error FROM inbox_update WHERE state = 'set_aside' ORDER BY id")
    assert [why.partition(":")[0] for (why,) in reasons] == [
        "malformed at message.message_id",
        "of a kind that is not handled",
    ]
    assert await ann.telegram.pending() == []


async def test_a_forward_from_somebody_hidden_is_a_source_like_any_other(ann):
    """CHT-1: the incomplete post that stops aiogram's own polling."""
    origin = from_hidden()
    del origin["sender_user_name"]
    await ann.ann.send("https://e.example/hidden", origin=origin)
    async with ann.running(sending=False):
        await settled(ann, 1)
    assert await rows(ann.engine, "SELECT origin, note FROM source") == [("https://e.example/hidden", None)]


async def test_an_update_that_comes_twice_is_stored_once_and_a_reused_number_is_not_lost(ann):
    """CHT-1: known by number and contents, not by being above a maximum."""
    first = {"update_id": 7, "message": message(ann, 1, "https://e.example/a 为什么？")}
    for raw in (first, first, {"update_id": 7, "message": message(ann, 2, "https://e.example/b 为什么？")}):
        await ann.door.take(raw)
    assert await scalar(ann.engine, "SELECT count(*) FROM inbox_update") == 2


async def test_the_offset_confirms_only_what_is_stored(ann):
    """CHT-1: a database that is away costs nothing; the same updates come again."""
    await ann.ann.send("https://e.example/a 为什么？")
    away = engine_of("postgresql://nobody@127.0.0.1:1/nothing")
    poller = Poller(replace(ann.door, engine=away), ann.connection.client, ann.connection.updates_address)
    assert await poller.once() > 0
    assert await poller.once() > 0
    await away.dispose()
    assert len(await ann.telegram.pending()) == 1
    async with ann.running(sending=False):
        await settled(ann, 1)
        async with asyncio.timeout(10):
            while await ann.telegram.pending():
                await asyncio.sleep(0.05)


async def test_a_second_program_on_the_same_token_is_waited_for(ann):
    """CHT-1: 409 is no error of ours; the poller rests and asks again."""
    async with ann.running(sending=False):
        other = await ann.telegram.call("getUpdates", timeout=0)
        assert other.status_code in (200, 409)
        await ann.ann.send("https://e.example/a 为什么？")
        await settled(ann, 1)


async def test_an_album_of_three_pdfs_is_one_question_to_three_sources(ann):
    """CHT-9: gathered over updates, by the album's id, with its one caption."""
    await ann.ann.send_album(
        *({"kind": "document", "data": TEXT + bytes([48 + n]), "name": f"{n}.txt", "caption": "冰有多厚？" if n == 1 else ""}
          for n in range(3))
    )  # fmt: skip
    async with ann.running(sending=False):
        await settled(ann, 3)
    assert await rows(ann.engine, "SELECT name, note FROM source ORDER BY id") == [
        (f"{n}.txt", "冰有多厚？") for n in range(3)
    ]


async def test_a_hidden_link_after_an_emoji_is_found(ann):
    """CHT-9: offsets are UTF-16 units; the words of the link are no question."""
    await ann.ann.send("📚🧊 [这一篇](https://e.example/hidden)")
    await ann.ann.send("🧊 为什么先修北桥？ [原文](https://e.example/b) ")
    async with ann.running(sending=False):
        await settled(ann, 2)
    assert await rows(ann.engine, "SELECT origin, note FROM source ORDER BY id") == [
        ("https://e.example/hidden", None),
        ("https://e.example/b", "🧊 为什么先修北桥？"),
    ]


async def test_a_link_in_the_caption_of_a_photo_is_a_source_beside_the_photo(ann):
    """CHT-9."""
    await ann.ann.send_file("photo", picture(), caption="看 https://e.example/caption")
    async with ann.running(sending=False):
        await settled(ann, 1)
    assert await rows(ann.engine, "SELECT input_type, origin FROM source ORDER BY id") == [
        ("image", None),
        ("link", "https://e.example/caption"),
    ]


async def test_several_links_of_a_forwarded_post_are_sources_without_a_question(ann):
    """CHT-9: the words of somebody else's post ask nothing."""
    await ann.ann.send("两篇好文章 https://e.example/1 和 [第二篇](https://e.example/2)", origin=from_channel())
    async with ann.running(sending=False):
        await settled(ann, 1)
    found = await rows(ann.engine, "SELECT origin, note FROM source ORDER BY id")
    assert found == [("https://e.example/1", None), ("https://e.example/2", None)]


async def test_a_question_before_after_and_in_reply_to_the_material(ann):
    """CHT-9."""
    await ann.ann.send("冰有多厚？")
    await ann.ann.send_file("document", TEXT, name="before.txt")
    async with ann.running(sending=False):
        await settled(ann, 2)
        await ann.ann.send_file("document", TEXT + b"2", name="after.txt")
        await settled(ann, 3)
        await ann.ann.send("谁凿的洞？")
        await settled(ann, 4)
        third = await ann.ann.send_file("document", TEXT + b"3", name="reply.txt")
        await ann.ann.send_file("document", TEXT + b"4", name="other.txt")
        await settled(ann, 6)
        await ann.ann.send("取水做什么？", reply_to=third)
        await settled(ann, 7)
    asked = """
    SELECT s.name, v.question FROM source s JOIN episode e ON e.source_id = s.id
      JOIN episode_revision v ON v.episode_id = e.id ORDER BY s.id"""
    assert await rows(ann.engine, asked) == [
        ("before.txt", "冰有多厚？"),
        ("after.txt", "谁凿的洞？"),
        ("reply.txt", "取水做什么？"),
        ("other.txt", None),
    ]


async def test_an_edited_question_is_a_new_revision_and_any_other_edit_is_left(ann):
    """CHT-9."""
    asked = await ann.ann.send("https://e.example/a 为什么先修北桥？")
    chat = await ann.ann.send("谢谢")
    async with ann.running(sending=False):
        await settled(ann, 2)
        await ann.ann.edit(asked, "https://e.example/a 为什么先修南桥？")
        await ann.ann.edit(chat, "多谢")
        await settled(ann, 4)
    assert await rows(ann.engine, "SELECT number, question FROM episode_revision ORDER BY id") == [
        (1, "为什么先修北桥？"),
        (2, "为什么先修南桥？"),
    ]
    assert await scalar(ann.engine, "SELECT error FROM inbox_update WHERE state = 'set_aside'") == (
        "edited: the message had asked nothing"
    )


async def test_a_file_beyond_what_a_bot_may_fetch_is_told_with_the_two_ways_out(ann):
    """CHT-9: 20 MB on Telegram's own server."""
    await ann.ann.send_file("document", name="大.pdf", size_bytes=21 * 1024 * 1024)
    async with ann.running():
        view = await ann.ann.chat.until(lambda v: v.bot)
    assert "「大.pdf」超过 20 MB" in view.bot[0].text
    assert "网页上传" in view.bot[0].text
    assert "Bot API" in view.bot[0].text


async def test_sound_is_told_that_it_cannot_be_heard_yet(ann):
    """CHT-9, until there is speech recognition."""
    await ann.ann.send_file("voice", sound("ogg"), duration=3)
    async with ann.running(sending=False):
        await settled(ann, 1)
    assert await rows(ann.engine, NOTES) == [("media_later",)]


async def test_a_download_that_fails_is_tried_again_and_one_that_keeps_failing_is_said(ann):
    """CHT-9: a failed download is not a lost message."""
    await ann.telegram.fail("status", "getFile", status=502)
    await ann.ann.send_file("document", TEXT, name="later.txt", caption="冰有多厚？")
    async with ann.running(sending=False):
        await settled(ann, 1)
        assert await rows(ann.engine, "SELECT name FROM source") == [("later.txt",)]
        await ann.telegram.fail("status", "getFile", status=502, times=-1)
        await execute(ann.engine, "UPDATE inbox_file SET tries = 0")
        await ann.ann.send_file("document", TEXT + b"2", name="never.txt")
        async with asyncio.timeout(20):
            while await scalar(ann.engine, "SELECT count(*) FROM inbox_update WHERE state = 'stored'") or not (
                await rows(ann.engine, NOTES)
            ):
                await execute(
                    ann.engine, "UPDATE inbox_file SET due_at = now() - interval '1 s' WHERE state = 'waiting'"
                )
                await asyncio.sleep(0.05)
    assert await rows(ann.engine, NOTES) == [("download_failed",)]
    assert await scalar(ann.engine, "SELECT tries FROM inbox_file WHERE state = 'failed'") == 5


async def test_a_stranger_gets_one_line_a_day_and_leaves_nothing(ann):
    """SEC-1."""
    bo = await ann.telegram.user("Bo")
    for text in ("https://e.example/a", "hello", "my secret is 12345"):
        await bo.send(text)
    async with ann.running():
        await bo.chat.until(lambda v: v.bot)
        await ann.ann.send("/help")
        await ann.ann.chat.until(lambda v: v.bot)
    view = await bo.chat.view()
    assert len(view.bot) == 1
    assert str(bo.id) in view.bot[0].text
    assert await scalar(ann.engine, "SELECT count(*) FROM owner") == 1
    assert await scalar(ann.engine, "SELECT count(*) FROM inbox_update") == 1  # Ann's own
    ann.clock.ahead = timedelta(hours=25)
    await bo.send("again")
    async with ann.running():
        assert len((await bo.chat.until(lambda v: len(v.bot) > 1)).bot) == 2


async def test_who_was_taken_off_the_list_is_sent_nothing_more(ann):
    """SEC-1: also of what was asked before."""
    chat = await ann.chat()
    async with transaction(ann.engine) as tx:
        await say(tx, chat_id=chat, kind="note", args={"key": "help", "values": {}})
    others = replace(ann.door, me=replace(ann.door.me, allowed=frozenset({1})))
    await others.begin()
    assert not await ann.gateway().send_one()
    assert await rows(ann.engine, "SELECT state FROM outbox_message") == [("cancelled",)]
    await ann.ann.send("/help")  # and allowed again
    async with ann.running():
        await ann.ann.chat.until(lambda v: v.bot)


async def test_an_album_survives_the_death_of_its_reader(ann):
    """CHT-9, CHT-1: two members are stored, the process ends, the third comes to the next one: one question to three."""
    for n in range(2):
        await ann.ann.send_file("document", TEXT + bytes([48 + n]), name=f"{n}.txt", album="77")
    await ann.poller().once()
    await ann.ann.send_file("document", TEXT + b"2", name="2.txt", caption="冰有多厚？", album="77")
    async with ann.running(sending=False):
        await settled(ann, 3)
    assert await rows(ann.engine, "SELECT name, note FROM source ORDER BY id") == [
        (f"{n}.txt", "冰有多厚？") for n in range(3)
    ]


async def test_in_a_group_only_what_is_addressed_to_the_bot_by_an_allowed_person_counts(ann):
    """SEC-1: privacy off, so that every message comes and the bot itself must not listen."""
    await ann.telegram.limits(group_privacy=False)
    bo = await ann.telegram.user("Bo")
    group = await ann.telegram.group(ann.ann, bo)
    name = ann.door.me.username
    shared = await bo.send("https://e.example/bo", chat=group)
    await ann.ann.send("https://e.example/unaddressed 为什么？", chat=group)
    await bo.send(f"@{name} https://e.example/stranger 为什么？", chat=group)
    await ann.ann.send(f"@{name} https://e.example/mine 为什么？", chat=group)
    await ann.ann.send(f"@{name} 这一篇讲什么？", chat=group, reply_to=shared)
    async with ann.running(sending=False):
        await settled(ann, 2)
        await asyncio.sleep(0.3)
    assert await rows(ann.engine, "SELECT origin, note FROM source ORDER BY id") == [
        ("https://e.example/mine", "为什么？"),
        ("https://e.example/bo", "这一篇讲什么？"),
    ]
    assert await scalar(ann.engine, "SELECT count(*) FROM inbox_update") == 2


def message(ann, number: int, text: str) -> dict[str, object]:
    """A raw message of Ann's."""
    person = {"id": ann.ann.id, "is_bot": False, "first_name": "Ann"}
    chat = {"id": ann.ann.id, "type": "private"}
    return {"message_id": number, "from": person, "chat": chat, "date": 1, "text": text}
