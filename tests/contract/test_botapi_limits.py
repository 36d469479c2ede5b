"""How much the Bot API simulator takes in which time, on a clock that is moved by hand; and the checker of a log."""

from __future__ import annotations

import pytest

from eval.simulators.botapi.log import Call, doubled, pace


@pytest.fixture
async def ann(telegram):
    return await telegram.user("Ann")


async def fill(bot, chat_id: int, count: int) -> int:
    """Send ``count`` messages; the id of the last."""
    sent = None
    for n in range(count):
        sent = await bot.send(chat_id, f"m{n}")
    return sent.message_id


async def test_a_quiet_chat_takes_a_few_at_once_and_then_one_a_second(telegram, bot, ann):
    """CHT-3."""
    await fill(bot, ann.id, 3)
    with pytest.raises(bot.errors.flood) as caught:
        await bot.send(ann.id, "too soon")
    wait = bot.retry_after_s(caught.value)
    assert wait >= 1
    await telegram.advance(wait)
    for n in range(3):
        await bot.send(ann.id, f"paced {n}")
        await telegram.advance(1)
    assert len((await ann.chat.view()).shown) == 6


async def test_edits_count_with_sends(bot, ann):
    """CHT-3."""
    number = await fill(bot, ann.id, 1)
    await bot.edit_text(ann.id, number, "a")
    await bot.edit_text(ann.id, number, "b")
    with pytest.raises(bot.errors.flood):
        await bot.edit_text(ann.id, number, "c")
    assert (await ann.chat.view()).last.text == "b"


async def test_an_edit_that_changes_nothing_counts_too(telegram, bot, ann):
    number = await fill(bot, ann.id, 1)
    for _ in range(2):
        with pytest.raises(bot.errors.bad, match="(?i)not modified"):
            await bot.edit_text(ann.id, number, "m0")
    with pytest.raises(bot.errors.flood):
        await bot.edit_text(ann.id, number, "a")
    assert [c.status for c in await telegram.log()] == [200, 400, 400, 429]


async def test_one_chat_s_ban_is_not_another_s(telegram, bot, ann):
    bo = await telegram.user("Bo")
    await fill(bot, ann.id, 3)
    with pytest.raises(bot.errors.flood):
        await bot.send(ann.id, "too soon")
    await bot.send(bo.id, "Hello")


async def test_asking_during_a_ban_makes_it_longer(telegram, bot, ann):
    await fill(bot, ann.id, 3)
    waits = []
    for _ in range(4):
        with pytest.raises(bot.errors.flood) as caught:
            await bot.send(ann.id, "now?")
        waits.append(bot.retry_after_s(caught.value))
    assert waits == sorted(set(waits)), "each is longer than the one before"
    assert waits[-1] - waits[-2] > waits[1] - waits[0]
    await telegram.advance(waits[0])
    with pytest.raises(bot.errors.flood):
        await bot.send(ann.id, "the first wait is over, the ban is not")
    await telegram.advance(300)
    await bot.send(ann.id, "Hello")


async def test_who_waits_as_told_is_let_through(telegram, bot, ann):
    await fill(bot, ann.id, 3)
    with pytest.raises(bot.errors.flood) as caught:
        await bot.send(ann.id, "now?")
    await telegram.advance(bot.retry_after_s(caught.value))
    await bot.send(ann.id, "now")


async def test_a_group_takes_twenty_a_minute(telegram, bot, ann):
    group = await telegram.group(ann)
    for n in range(20):
        await bot.send(group.id, f"m{n}")
        await telegram.advance(1.5)
    with pytest.raises(bot.errors.flood) as caught:
        await bot.send(group.id, "the 21st")
    wait = bot.retry_after_s(caught.value)
    assert wait >= 30
    await telegram.advance(wait)
    await bot.send(group.id, "the 21st")


async def test_all_chats_together_take_thirty_a_second(telegram, bot):
    people = [await telegram.user(f"P{n}") for n in range(31)]
    for one in people[:30]:
        await bot.send(one.id, "Hello")
    with pytest.raises(bot.errors.flood):
        await bot.send(people[30].id, "Hello")
    with pytest.raises(bot.errors.flood):
        await bot.send(people[0].id, "the ban is of every chat")
    await telegram.advance(60)
    await bot.send(people[30].id, "Hello")


async def test_an_album_counts_as_many_as_it_has(telegram, bot, ann):
    group = await telegram.group(ann)
    files = [("document", b"a%d" % n, "a.txt", None) for n in range(10)]
    for _ in range(2):
        await bot.send_group(group.id, files)
        await telegram.advance(15)
    with pytest.raises(bot.errors.flood):
        await bot.send(group.id, "one more")


async def test_what_is_no_message_is_not_counted(bot, ann):
    sent = await bot.send(ann.id, "Well?", buttons=[[{"text": "Go", "callback_data": "g"}]])
    for _ in range(40):
        await bot.action(ann.id, "typing")
    press = await ann.press(sent.message_id, "Go")
    assert await bot.answer(press.query_id) is True
    await bot.delete(ann.id, sent.message_id)
    await fill(bot, ann.id, 2)


async def test_limits_can_be_set_and_turned_off(telegram, bot, ann):
    await telegram.limits(chat_burst=1)
    await bot.send(ann.id, "one")
    with pytest.raises(bot.errors.flood):
        await bot.send(ann.id, "two")
    await telegram.do("heal")
    await telegram.limits(flood=False)
    await fill(bot, ann.id, 50)


def call(at: float, number: int, **more) -> Call:
    given = {
        "method": "sendMessage",
        "chat_id": 1,
        "group": False,
        "message_ids": (number,),
        "outcome": "done",
        "status": 200,
        "description": "",
        "digest": f"d{number}",
    }
    return Call(number=number, at=at, **{**given, **more})


def paced(gap_s: float, count: int, **more) -> list[Call]:
    return [call(n * gap_s, n + 1, **more) for n in range(count)]


def test_a_log_at_the_limits_has_no_breach():
    """CHT-3."""
    assert pace(paced(1.0, 50)) == []
    assert pace(paced(3.0, 40, group=True)) == []
    assert pace([call(n / 30, n + 1, chat_id=n) for n in range(90)]) == []


def test_a_log_over_a_limit_says_which_and_where():
    (chat,) = pace([*paced(1.0, 5), call(4.5, 6)])
    assert (chat.scope, chat.count, chat.allowed, chat.first) == ("chat 1", 2, 1, 5)
    (group,) = pace(paced(2.9, 21, group=True))
    assert (group.scope, group.count, group.allowed) == ("group 1", 21, 20)
    (total,) = pace([call(n / 31, n + 1, chat_id=n) for n in range(31)])
    assert (total.scope, total.count, total.allowed) == ("all", 31, 30)


def test_edits_and_albums_are_in_the_pace_and_what_did_not_happen_is_not():
    assert len(pace([call(0, 1), call(0.5, 2, method="editMessageText")])) == 1
    assert pace([call(0, 1), call(0.5, 2, outcome="refused")]) == []
    assert len(pace([call(0, 1), call(0.5, 2, outcome="lost")])) == 1
    album = {"method": "sendMediaGroup", "message_ids": tuple(range(10))}
    assert pace([call(0, 1, **album)]) == [], "one act cannot be sent more slowly"
    albums = [call(20.0 * n, n + 1, group=True, **album) for n in range(3)]
    assert [b.scope for b in pace(albums)] == ["group 1"]


def test_doubled_finds_the_same_content_in_the_same_chat():
    same = {"digest": "d"}
    log = [call(0, 1, **same), call(5, 2, **same), call(6, 3, chat_id=2, **same), call(7, 4)]
    assert [[c.number for c in calls] for calls in doubled(log)] == [[1, 2]]
    assert doubled([call(0, 1, **same), call(5, 2, outcome="refused", **same)]) == []
    assert doubled([call(0, 1, **same), call(5, 2, method="editMessageText", **same)]) == []


async def test_the_log_of_a_run_is_what_the_checkers_read(telegram, bot, ann):
    await fill(bot, ann.id, 3)
    breaches = pace(await telegram.log())
    assert [(b.scope, b.count) for b in breaches] == [(f"chat {ann.id}", 3)]
    await telegram.advance(10)
    await bot.send(ann.id, "m0")
    assert [[c.number for c in calls] for calls in doubled(await telegram.log())] == [[1, 4]]
    await bot.send_file("document", ann.id, b"abc")
    await bot.send_file("document", ann.id, b"abd")
    assert len(doubled(await telegram.log())) == 1, "other bytes are another message"
