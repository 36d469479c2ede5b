"""People of the Bot API simulator: what they do, what the bot gets of it, and what a test sees on their phones."""

from __future__ import annotations

import asyncio

import pytest

from eval.simulators.botapi.users import from_channel, from_hidden, from_user
from eval.simulators.botapi.wire import Refused
from tests.contract.test_botapi_files import picture
from tests.support.sounds import sound


@pytest.fixture
async def ann(telegram):
    await telegram.limits(flood=False)
    return await telegram.user("Ann", language_code="zh-hans")


async def only(bot):
    """Return the one update that waits."""
    (update,) = await bot.updates()
    return update


async def test_words_come_with_the_entities_of_a_phone(bot, ann):
    """A hidden link after an emoji is found only in UTF-16 units."""
    await ann.send("📚 read [this page](https://e.example/a) and **think**, or https://e.example/b。好")
    message = (await only(bot)).message
    assert message.text == "📚 read this page and think, or https://e.example/b。好"
    found = {e.type: e for e in message.entities}
    assert found["text_link"].url == "https://e.example/a"
    raw = message.text.encode("utf-16-le")
    said = {kind: raw[2 * e.offset : 2 * (e.offset + e.length)].decode("utf-16-le") for kind, e in found.items()}
    assert said == {"text_link": "this page", "bold": "think", "url": "https://e.example/b"}
    assert message.from_user.language_code == "zh-hans"


async def test_a_command_is_an_entity(bot, ann):
    await ann.send("/find bridges")
    (entity,) = (await only(bot)).message.entities
    assert (entity.type, entity.offset, entity.length) == ("bot_command", 0, 5)


async def test_a_forward_says_where_it_is_from_as_far_as_it_may(telegram, bot, ann):
    bo = await telegram.user("Bo")
    for origin in (from_user(bo), from_hidden("Somebody"), from_channel("News", message_id=5)):
        await ann.send("https://e.example/a", origin=origin)
    known, hidden, channel = [u.message.forward_origin for u in await bot.updates()]
    assert (known.type, known.sender_user.id) == ("user", bo.id)
    assert (hidden.type, hidden.sender_user_name) == ("hidden_user", "Somebody")
    assert (channel.type, channel.chat.title, channel.message_id) == ("channel", "News", 5)


async def test_a_reply_quotes(bot, ann):
    sent = await bot.send(ann.id, "The north bridge was first.")
    await ann.send("Why?", reply_to=sent.message_id, quote="north bridge")
    message = (await only(bot)).message
    assert (message.reply_to_message.message_id, message.quote.text, message.quote.position) == (
        sent.message_id,
        "north bridge",
        4,
    )


async def test_an_edit_is_an_update_of_its_own(bot, ann):
    number = await ann.send("Wht?")
    await ann.edit(number, "What?")
    sent, edited = await bot.updates()
    assert edited.edited_message.text == "What?"
    assert edited.edited_message.message_id == sent.message.message_id


FILES = [
    ("document", b"%PDF-1.7", {"name": "report.pdf", "mime": "application/pdf"}),
    ("photo", picture(), {}),
    ("voice", sound("ogg"), {"duration": 1}),
    ("audio", sound("mp3"), {"name": "a.mp3", "title": "Talk"}),
    ("video", b"\x00\x00\x00\x18ftypmp42 a film", {"name": "a.mp4", "mime": "video/mp4", "duration": 9}),
]


@pytest.mark.parametrize(("kind", "data", "said"), FILES, ids=[f[0] for f in FILES])
async def test_a_file_comes_with_its_caption_and_its_bytes(bot, ann, kind, data, said):
    await ann.send_file(kind, data, caption="See [the page](https://e.example/a)", **said)
    message = (await only(bot)).message
    file = getattr(message, kind)
    file = file[-1] if kind == "photo" else file
    assert message.caption == "See the page"
    assert message.caption_entities[0].url == "https://e.example/a"
    assert await bot.download(file.file_id) == data
    if "name" in said:
        assert file.file_name == said["name"]


async def test_a_video_note_has_no_caption(bot, ann):
    await ann.send_file("video_note", b"\x00\x00\x00\x18ftypmp42 a round film", duration=3)
    message = (await only(bot)).message
    assert message.caption is None
    assert message.video_note.length == 240


async def test_an_album_is_several_updates_with_one_group(bot, ann):
    files = [{"kind": "document", "data": b"%%PDF-1.%d" % n, "name": f"{n}.pdf"} for n in range(3)]
    numbers = await ann.send_album(*files)
    updates = await bot.updates()
    assert [u.message.message_id for u in updates] == numbers
    assert len({u.message.media_group_id for u in updates}) == 1
    assert [u.message.document.file_name for u in updates] == ["0.pdf", "1.pdf", "2.pdf"]


async def test_of_a_group_the_bot_sees_what_concerns_it(telegram, bot, ann):
    """Privacy mode, as every bot has it by default."""
    bo = await telegram.user("Bo")
    group = await telegram.group(ann, bo)
    mine = await bot.send(group.id, "Hello all")
    await bo.send("lovely weather", chat=group)
    await bo.send("/find@another_bot rain", chat=group)
    await bo.send("/find rain", chat=group)
    await ann.send("@earmark_simulated_bot is it so?", chat=group)
    await ann.send("why?", chat=group, reply_to=mine.message_id)
    updates = await bot.updates()
    joined, *messages = [u.message for u in updates if u.message]
    assert joined.new_chat_members[0].username == "earmark_simulated_bot"
    assert [m.text for m in messages] == ["/find rain", "@earmark_simulated_bot is it so?", "why?"]
    assert {m.chat.type for m in messages} == {"group"}
    await telegram.limits(group_privacy=False)
    await bo.send("lovely weather", chat=group)
    assert (await bot.updates())[-1].message.text == "lovely weather"


async def test_the_bot_hears_where_it_may_be(telegram, bot, ann):
    group = await telegram.group(ann)
    await ann.kick_bot(group)
    await ann.block()
    await ann.block()
    await ann.unblock()
    told = [u.my_chat_member for u in await bot.updates() if u.my_chat_member]
    assert [(t.chat.id, t.old_chat_member.status, t.new_chat_member.status) for t in told] == [
        (group.id, "kicked", "member"),
        (group.id, "member", "kicked"),
        (ann.id, "member", "kicked"),
        (ann.id, "kicked", "member"),
    ]


async def test_an_upgrade_is_told_on_both_sides(telegram, bot, ann):
    group = await telegram.group(ann)
    above = await ann.upgrade(group)
    old, new = [u.message for u in await bot.updates() if u.message][-2:]
    assert (old.chat.id, old.migrate_to_chat_id) == (group.id, above.id)
    assert (new.chat.id, new.migrate_from_chat_id, new.chat.type) == (above.id, group.id, "supergroup")
    with pytest.raises(Refused, match="became"):
        await ann.send("anybody here?", chat=group)


async def test_who_blocked_the_bot_is_not_heard(bot, ann):
    await ann.block()
    await ann.send("nobody hears this")
    assert [u.message for u in await bot.updates()] == [None]


async def test_a_press_is_of_a_button_that_shows(bot, ann):
    row = [[{"text": "Open", "url": "https://e.example"}, {"text": "Go", "callback_data": "g"}]]
    sent = await bot.send(ann.id, "Well?", buttons=row)
    assert (await ann.press(sent.message_id, "Open")).url == "https://e.example"
    assert list(await bot.updates()) == []
    with pytest.raises(Refused, match="no button 'Stop'"):
        await ann.press(sent.message_id, "Stop")
    await bot.edit_text(ann.id, sent.message_id, "Gone")
    with pytest.raises(Refused, match="no button 'Go'"):
        await ann.press(sent.message_id, "Go")
    await ann.press(sent.message_id, "g", stale=True)
    assert (await only(bot)).callback_query.data == "g"


async def test_a_disabled_button_does_nothing(telegram, ann):
    """Bot API 10.3, over the wire."""
    rows = [[{"text": "Done", "disabled": {}}]]
    sent = (await telegram.call("sendMessage", chat_id=ann.id, text="a", reply_markup={"inline_keyboard": rows})).json()
    with pytest.raises(Refused, match="is disabled"):
        await ann.press(sent["result"]["message_id"], "Done")


async def test_a_test_waits_until_a_chat_is_as_it_should_be(bot, ann):
    waiting = asyncio.create_task(ann.chat.until(lambda view: "third" in view.texts))
    sent = await bot.send(ann.id, "first")
    await bot.send(ann.id, "second")
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await bot.edit_text(ann.id, sent.message_id, "third")
    view = await asyncio.wait_for(waiting, 5)
    assert view.texts == ["third", "second"]


async def test_what_never_comes_true_fails_and_shows_the_chat(bot, ann):
    await bot.send(ann.id, "only this")
    with pytest.raises(AssertionError, match="only this"):
        await ann.chat.until(lambda view: len(view.shown) > 1, timeout_s=0.1)


async def test_a_spinner_nobody_stops_is_a_failure(bot, ann):
    sent = await bot.send(ann.id, "Well?", buttons=[[{"text": "Go", "callback_data": "g"}]])
    press = await ann.press(sent.message_id, "Go")
    with pytest.raises(AssertionError, match="still spins"):
        await press.answered(timeout_s=0.1)
