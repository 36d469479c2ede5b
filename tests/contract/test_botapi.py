"""The Bot API simulator as two independent clients see it: messages, edits, presses, and what is refused.

The facts are of Telegram's documentation and of its own server's source; the clients are aiogram and
python-telegram-bot, and what holds for both is not an agreement between the simulator and one library.
"""

from __future__ import annotations

import asyncio

import pytest

from eval.simulators.botapi.entities import cut, units
from eval.simulators.botapi.limits import Limits

ROW = [[{"text": "Yes", "callback_data": "y:1"}, {"text": "No", "callback_data": "n:1"}]]
BOLD = {"type": "bold", "offset": 0, "length": 4}


@pytest.fixture
async def ann(telegram):
    await telegram.limits(flood=False)
    return await telegram.user("Ann", username="ann_reads")


async def test_a_bot_knows_itself(bot):
    me = await bot.me()
    assert (me.is_bot, me.username) == (True, "earmark_simulated_bot")


@pytest.mark.parametrize(("token", "error"), [("no-token", "token"), ("7000000001:" + "x" * 35, "unknown_token")])
async def test_a_wrong_token_is_404_and_an_unknown_one_401(telegram, bot, token, error):
    """aiogram refuses a malformed token before it asks, so that one goes over the wire by itself."""
    if error == "token":
        answer = await telegram.wire.client.get(f"{telegram.base}/bot{token}/getMe")
        assert answer.status_code == 404
        assert answer.json() == {"ok": False, "error_code": 404, "description": "Not Found"}
        return
    other = type(bot)(telegram.base, token)
    await other.start()
    with pytest.raises(bot.errors.unknown_token, match="(?i)Unauthorized"):
        await other.me()
    await other.close()


async def test_an_unknown_method_is_404(telegram):
    answer = await telegram.call("sendNothing")
    assert (answer.status_code, answer.json()["description"]) == (404, "Not Found: method not found")


async def test_method_names_come_in_any_case(telegram):
    assert (await telegram.call("GETME")).json()["result"]["is_bot"] is True


async def test_what_the_bot_sends_is_what_people_see(bot, ann):
    sent = await bot.send(ann.id, "Good morning", entities=[BOLD], buttons=ROW)
    (seen,) = (await ann.chat.view()).shown
    assert (seen.message_id, seen.text, seen.by_bot) == (sent.message_id, "Good morning", True)
    assert list(seen.entities) == [BOLD]
    assert seen.labels == ["Yes", "No"]
    assert sent.chat.id == ann.id
    assert sent.from_user.is_bot


async def test_entities_after_an_emoji_are_counted_in_utf16_units(bot, ann):
    """CHT-4."""
    text = "📚👩‍🏫 see the page"
    link = {"type": "text_link", "offset": units("📚👩‍🏫 see "), "length": 8, "url": "https://e.example/a"}
    sent = await bot.send(ann.id, text, entities=[link])
    (entity,) = sent.entities
    assert cut(sent.text, entity.offset, entity.length) == "the page"
    assert bot.said(sent, entity) == "the page"
    assert entity.url == "https://e.example/a"


@pytest.mark.parametrize(
    ("text", "fits"),
    [("a" * 4096, True), ("a" * 4097, False), ("📚" * 2048, True), ("📚" * 2048 + "a", False)],
    ids=["4096", "4097", "2048 emoji", "2048 emoji and a letter"],
)
async def test_a_text_has_4096_utf16_units_at_most(bot, ann, text, fits):
    """CHT-4."""
    if fits:
        assert (await bot.send(ann.id, text)).text == text
        return
    with pytest.raises(bot.errors.bad, match="(?i)message is too long"):
        await bot.send(ann.id, text)
    assert (await ann.chat.view()).messages == []


async def test_raw_text_above_32_kib_is_refused_before_anything_else(bot, ann):
    with pytest.raises(bot.errors.bad, match="(?i)text is too long"):
        await bot.send(ann.id, "字" * 11_000)


@pytest.mark.parametrize("text", [" ", "\n\t"])
async def test_a_text_of_nothing_is_refused(bot, ann, text):
    with pytest.raises(bot.errors.bad, match="(?i)message text is empty"):
        await bot.send(ann.id, text)


WRONG_ENTITIES = [
    ("past the end", {"type": "bold", "offset": 3, "length": 9}, "ends after the end"),
    ("begins past the end", {"type": "bold", "offset": 9, "length": 1}, "begins after the end"),
    ("splits an emoji", {"type": "bold", "offset": 0, "length": 1}, "ends in a middle"),
    ("begins inside an emoji", {"type": "bold", "offset": 1, "length": 2}, "begins in a middle"),
    ("before the beginning", {"type": "bold", "offset": -1, "length": 2}, "incorrect offset"),
]


@pytest.mark.parametrize(("entity", "why"), [c[1:] for c in WRONG_ENTITIES], ids=[c[0] for c in WRONG_ENTITIES])
async def test_an_entity_that_does_not_fit_its_text_is_refused(bot, ann, entity, why):
    with pytest.raises(bot.errors.bad, match=f"(?i){why}"):
        await bot.send(ann.id, "📚 abc", entities=[entity])


async def test_of_many_entities_a_hundred_are_shown(bot, ann):
    marks = [{"type": "bold", "offset": 2 * n, "length": 1} for n in range(120)]
    assert len((await bot.send(ann.id, "a " * 119 + "a", entities=marks)).entities) == 100


async def test_space_at_the_ends_goes_and_entities_move_with_it(bot, ann):
    sent = await bot.send(ann.id, "\n  Good day \n", entities=[{"type": "bold", "offset": 3, "length": 4}])
    assert sent.text == "Good day"
    (entity,) = sent.entities
    assert (entity.offset, entity.length) == (0, 4)


async def test_parse_mode_is_refused_and_says_so(telegram, ann):
    answer = await telegram.call("sendMessage", chat_id=ann.id, text="<b>a</b>", parse_mode="HTML")
    assert (answer.status_code, answer.json()["description"]) == (
        400,
        "Bad Request: parse_mode is not simulated; send entities",
    )


@pytest.mark.parametrize(("data", "fits"), [("a" * 64, True), ("a" * 65, False), ("字" * 21, True), ("字" * 22, False)])
async def test_callback_data_has_64_bytes_at_most(telegram, bot, ann, data, fits):
    """CHT-6. In bytes, not characters."""
    row = [[{"text": "Yes", "callback_data": data}]]
    if fits:
        await bot.send(ann.id, "Well?", buttons=row)
        assert (await ann.chat.view()).last.buttons[0][0]["callback_data"] == data
        return
    with pytest.raises(bot.errors.bad, match="(?i)button_data_invalid"):
        await bot.send(ann.id, "Well?", buttons=row)


WRONG_BUTTONS = [
    ("no act", [[{"text": "Yes"}]], "unallowed"),
    ("two acts", [[{"text": "Yes", "callback_data": "y", "url": "https://e.example"}]], "unallowed"),
    ("no words", [[{"text": " ", "callback_data": "y"}]], "non-empty"),
    ("no data", [[{"text": "Yes", "callback_data": ""}]], "BUTTON_DATA_INVALID"),
    ("no address", [[{"text": "Yes", "url": "not an address"}]], "invalid"),
    ("no rows", [{"text": "Yes", "callback_data": "y"}], "Array"),
    ("a style nobody has", [[{"text": "Yes", "callback_data": "y", "style": "pink"}]], "STYLE"),
    ("too many", [[{"text": "Yes", "callback_data": "y"}] * 8] * 13, "too long"),
]


@pytest.mark.parametrize(("rows", "why"), [c[1:] for c in WRONG_BUTTONS], ids=[c[0] for c in WRONG_BUTTONS])
async def test_a_keyboard_of_another_shape_is_refused(telegram, ann, rows, why):
    """Over the wire: the libraries do not let most of these be written."""
    answer = await telegram.call("sendMessage", chat_id=ann.id, text="a", reply_markup={"inline_keyboard": rows})
    assert answer.status_code == 400
    assert why in answer.json()["description"]


async def test_styles_and_disabled_buttons_are_taken(telegram, ann):
    """Bot API 9.4 and 10.3; python-telegram-bot does not know the second."""
    rows = [[{"text": "Done", "disabled": {}}, {"text": "Go", "callback_data": "g", "style": "success"}]]
    answer = await telegram.call("sendMessage", chat_id=ann.id, text="a", reply_markup={"inline_keyboard": rows})
    assert answer.json()["result"]["reply_markup"]["inline_keyboard"] == rows


async def test_an_edit_changes_the_message_in_place(bot, ann):
    sent = await bot.send(ann.id, "one", buttons=ROW)
    edited = await bot.edit_text(ann.id, sent.message_id, "two", entities=[{**BOLD, "length": 3}])
    (seen,) = (await ann.chat.view()).shown
    assert (seen.text, seen.before, seen.labels) == ("two", ("one",), [])
    assert edited.message_id == sent.message_id
    assert edited.edit_date is not None


async def test_buttons_are_edited_by_themselves(bot, ann):
    sent = await bot.send(ann.id, "one", buttons=ROW)
    await bot.edit_buttons(ann.id, sent.message_id, [[{"text": "Again", "callback_data": "r"}]])
    seen = (await ann.chat.view()).last
    assert (seen.text, seen.labels) == ("one", ["Again"])
    await bot.edit_buttons(ann.id, sent.message_id, None)
    assert (await ann.chat.view()).last.labels == []


async def test_the_same_again_is_not_modified(bot, ann):
    """CHT-2. The same words with other buttons are a change; the same words and buttons are none."""
    sent = await bot.send(ann.id, "one", buttons=ROW)
    with pytest.raises(bot.errors.bad, match="(?i)message is not modified"):
        await bot.edit_text(ann.id, sent.message_id, "one", buttons=ROW)
    await bot.edit_text(ann.id, sent.message_id, "one")
    with pytest.raises(bot.errors.bad, match="(?i)message is not modified"):
        await bot.edit_buttons(ann.id, sent.message_id, None)
    assert len((await ann.chat.view()).last.before) == 1


async def test_a_message_that_is_gone_cannot_be_edited(bot, ann):
    """CHT-2."""
    sent = await bot.send(ann.id, "one")
    assert await bot.delete(ann.id, sent.message_id) is True
    with pytest.raises(bot.errors.bad, match="(?i)message to edit not found"):
        await bot.edit_text(ann.id, sent.message_id, "two")
    with pytest.raises(bot.errors.bad, match="(?i)message to delete not found"):
        await bot.delete(ann.id, sent.message_id)
    assert (await ann.chat.view()).shown == []


async def test_what_people_wrote_cannot_be_edited(bot, ann):
    number = await ann.send("mine")
    with pytest.raises(bot.errors.bad, match="(?i)message can't be edited"):
        await bot.edit_text(ann.id, number, "yours")


async def test_after_48_hours_a_message_stays(telegram, bot, ann):
    sent = await bot.send(ann.id, "one")
    await telegram.advance(48 * 3600 + 1)
    with pytest.raises(bot.errors.bad, match="(?i)message can't be deleted"):
        await bot.delete(ann.id, sent.message_id)
    await bot.edit_text(ann.id, sent.message_id, "an edit has no such limit")


async def test_a_reply_names_what_it_answers(bot, ann):
    number = await ann.send("Is the bridge north?")
    sent = await bot.send(ann.id, "Yes", reply_to=number, quote="bridge")
    assert sent.reply_to_message.message_id == number
    assert (sent.quote.text, sent.quote.position) == ("bridge", 7)
    assert (await ann.chat.view()).last.reply_to == number


async def test_a_reply_to_nothing_is_refused_unless_it_may_go_without(bot, ann):
    with pytest.raises(bot.errors.bad, match="(?i)message to be replied not found"):
        await bot.send(ann.id, "Yes", reply_to=999)
    assert (await bot.send(ann.id, "Yes", reply_to=999, lenient=True)).reply_to_message is None


async def test_a_quote_of_other_words_is_refused(bot, ann):
    number = await ann.send("Is the bridge north?")
    with pytest.raises(bot.errors.bad, match="(?i)quote_text_invalid"):
        await bot.send(ann.id, "Yes", reply_to=number, quote="tunnel")


async def test_a_press_is_an_update_and_its_answer_stops_the_spinner(bot, ann):
    """CHT-5."""
    sent = await bot.send(ann.id, "Well?", buttons=ROW)
    press = await ann.press(sent.message_id, "Yes")
    (update,) = await bot.updates()
    query = update.callback_query
    assert (query.data, query.from_user.id, query.message.message_id) == ("y:1", ann.id, sent.message_id)
    assert (await press.state())["answer"] is None
    waiting = asyncio.create_task(press.answered())
    assert await bot.answer(query.id, "Noted", True) is True
    answer = await waiting
    assert (answer.text, answer.alert) == ("Noted", True)


async def test_a_query_is_answered_once_and_not_late(telegram, bot, ann):
    sent = await bot.send(ann.id, "Well?", buttons=ROW)
    one, two = await ann.press(sent.message_id, "Yes"), await ann.press(sent.message_id, "No")
    await bot.answer(one.query_id)
    with pytest.raises(bot.errors.bad, match="(?i)query is too old"):
        await bot.answer(one.query_id)
    await telegram.advance(Limits().query_age_s + 1)
    with pytest.raises(bot.errors.bad, match="(?i)query is too old"):
        await bot.answer(two.query_id)
    with pytest.raises(bot.errors.bad, match="(?i)query ID is invalid"):
        await bot.answer("123")


async def test_an_answer_has_200_characters_at_most(bot, ann):
    sent = await bot.send(ann.id, "Well?", buttons=ROW)
    press = await ann.press(sent.message_id, "Yes")
    with pytest.raises(bot.errors.bad, match="(?i)message_too_long"):
        await bot.answer(press.query_id, "a" * 201)
    assert await bot.answer(press.query_id, "a" * 200) is True


async def test_people_see_that_the_bot_is_at_work(telegram, bot, ann):
    assert await bot.action(ann.id, "record_voice") is True
    assert [what for _, what in (await ann.chat.view()).actions] == ["record_voice"]
    assert (await telegram.call("sendChatAction", chat_id=ann.id, action="dance")).status_code == 400


async def test_commands_are_kept_by_scope_and_language(telegram, bot, ann):
    await bot.set_commands([("find", "Search your library")])
    await bot.set_commands([("find", "搜索")], language="zh")
    await bot.set_commands([("plan", "Today")], chat_id=ann.id)
    assert await bot.commands() == [("find", "Search your library")]
    assert await bot.commands(language="zh") == [("find", "搜索")]
    assert await bot.commands(chat_id=ann.id) == [("plan", "Today")]
    with pytest.raises(bot.errors.bad, match="(?i)bot_command_invalid"):
        await bot.set_commands([("Find", "no capitals")])


async def test_a_chat_says_whether_it_takes_voice(bot, ann):
    assert not (await bot.chat(ann.id)).has_restricted_voice_and_video_messages
    await ann.forbid_voice()
    assert (await bot.chat(ann.id)).has_restricted_voice_and_video_messages is True
    assert (await bot.chat(ann.id)).first_name == "Ann"


async def test_a_chat_nobody_knows_is_400(bot):
    with pytest.raises(bot.errors.bad, match="(?i)chat not found"):
        await bot.send(123, "Hello")


async def test_whoever_does_not_want_the_bot_is_403(telegram, bot, ann):
    await ann.block()
    with pytest.raises(bot.errors.forbidden, match="(?i)bot was blocked by the user"):
        await bot.send(ann.id, "Hello")
    await ann.unblock()
    await bot.send(ann.id, "Hello")
    await ann.deactivate()
    with pytest.raises(bot.errors.forbidden, match="(?i)user is deactivated"):
        await bot.send(ann.id, "Hello")
    stranger = await telegram.user("Bo", started=False)
    with pytest.raises(bot.errors.forbidden, match="(?i)can't initiate conversation"):
        await bot.send(stranger.id, "Hello")
    await stranger.send("/start")
    await bot.send(stranger.id, "Hello")


@pytest.mark.parametrize("supergroup", [False, True])
async def test_a_group_that_threw_the_bot_out_is_403(telegram, bot, ann, supergroup):
    group = await telegram.group(ann, supergroup=supergroup)
    await bot.send(group.id, "Hello")
    await ann.kick_bot(group)
    with pytest.raises(bot.errors.forbidden, match=f"(?i)kicked from the {'super' if supergroup else ''}group chat"):
        await bot.send(group.id, "Hello")


async def test_a_group_that_became_a_supergroup_says_where_it_is_now(telegram, bot, ann):
    group = await telegram.group(ann)
    above = await ann.upgrade(group)
    with pytest.raises(bot.errors.migrated) as caught:
        await bot.send(group.id, "Hello")
    assert bot.new_chat_id(caught.value) == above.id
    assert (await bot.send(above.id, "Hello")).chat.id == above.id
    assert (await group.view()).migrated_to == above.id
