"""A press is decided once and answered once, within a second (rules CHT-5, CHT-6)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.port import Button
from bot.channels.telegram.buttons import MAX_BYTES, packed, unpacked
from tests.support.rows import rows, scalar
from tests.support.telegram import line

RUNS = "SELECT state FROM generation_run ORDER BY id"


@pytest.fixture
async def ann(engine):
    async with line(engine) as made:
        await made.telegram.limits(flood=False)
        yield made


async def card(ann):
    """The receipt of a link with a question, as it stands in Ann's chat."""
    await ann.ann.send("https://e.example/a 为什么先修北桥？")
    view = await ann.ann.chat.until(lambda v: v.bot and v.bot[0].labels)
    return view.bot[0]


async def test_a_button_pressed_twice_within_ten_milliseconds_acts_once_and_both_are_answered(ann):
    """CHT-5."""
    async with ann.running():
        receipt = await card(ann)
        presses = await asyncio.gather(*(ann.ann.press(receipt, "取消") for _ in range(2)))
        first, second = sorted(
            await asyncio.gather(*(press.answered() for press in presses)), key=lambda answer: bool(answer.text)
        )
        await ann.ann.chat.until(lambda v: "取消" in v.bot[0].text)
    assert (first.text, second.text[:5]) == ("", "已经结束了")
    assert max(first.after_s, second.after_s) < 1
    assert await rows(ann.engine, RUNS) == [("CANCELLED",)]
    calls = [c for c in await ann.telegram.log() if c.method == "answerCallbackQuery"]
    assert [c.outcome for c in calls] == ["done", "done"]


async def test_a_press_by_a_stranger_in_a_group_changes_nothing_and_is_told_so(ann):
    """CHT-5, SEC-1."""
    async with ann.running():
        bo = await ann.telegram.user("Bo")
        group = await ann.telegram.group(ann.ann, bo)
        await ann.ann.send(f"@{ann.door.me.username} https://e.example/a 为什么？", chat=group)
        view = await group.until(lambda v: v.bot and v.bot[0].labels)
        answer = await (await bo.press(view.bot[0], "取消", chat=group)).answered()
    assert "你按了不算数" in answer.text
    assert answer.after_s < 1
    assert await rows(ann.engine, RUNS) == [("QUEUED",)]
    stored = await scalar(ann.engine, "SELECT payload::text FROM inbox_update WHERE payload->>'type' = 'press'")
    assert str(bo.id) not in stored


async def test_a_press_on_a_stale_card_or_of_another_program_is_answered_and_does_nothing(ann):
    """CHT-5, CHT-6."""
    async with ann.running():
        receipt = await card(ann)
        data = receipt.buttons[0][0]["callback_data"]
        await (await ann.ann.press(receipt, "取消")).answered()
        await ann.ann.chat.until(lambda v: "取消" in v.bot[0].text)
        late = await (await ann.ann.press(receipt, data, stale=True)).answered()
        alien = await (await ann.ann.press(receipt, "approve:17:yes", stale=True)).answered()
        unknown = await (await ann.ann.press(receipt, "1:retry:r999", stale=True)).answered()
    assert late.text.startswith("已经结束了")
    assert alien.text.startswith("这张卡片已经变了")
    assert unknown.text.startswith("这个按钮属于别人")
    assert all(answer.after_s < 1 for answer in (late, alien, unknown))
    assert await rows(ann.engine, RUNS) == [("CANCELLED",)]


async def test_a_press_does_not_wait_for_a_file_that_is_being_fetched(ann):
    """CHT-5: answered at once, although the chat's next message is not there yet."""
    async with ann.running():
        receipt = await card(ann)
        await ann.telegram.fail("slow", "getFile", seconds=4)
        await ann.ann.send_file("document", "冰有多厚".encode() * 20, name="slow.txt")
        await asyncio.sleep(0.5)
        answer = await (await ann.ann.press(receipt, "取消")).answered()
    assert answer.after_s < 1


async def test_the_answer_is_given_although_the_chat_is_being_sent_to(ann):
    """CHT-3: answers have a lane of their own."""
    async with ann.running():
        receipt = await card(ann)
        await ann.telegram.fail("slow", "sendMessage", seconds=5, times=3)
        for _ in range(3):
            await ann.ann.send("/help")
        await asyncio.sleep(0.5)
        answer = await (await ann.ann.press(receipt, "取消")).answered()
    assert answer.after_s < 1


@given(
    st.sampled_from(["claim", "paste_body", "upload_page", "transcript", "resend"]),
    st.fixed_dictionaries({}, optional={n: st.integers(-(2**63), 2**63 - 1) for n in ("revision", "index", "outbox")}),
)
def test_a_button_comes_back_as_it_was(verb, args):
    """CHT-6."""
    if len(args) == 3:
        args.pop("outbox")  # no screen has all three
    data = packed(Button("x", verb, args))
    assert len(data.encode()) <= MAX_BYTES
    assert unpacked(data) == (verb, args)


@pytest.mark.parametrize(
    "data", [None, "", "a:y:1", "2:claim:r1", "1:claim:z1", "1:claim:r", "1:CLAIM:r1", "1:claim:r1 "]
)
def test_what_is_no_button_of_ours_is_none(data):
    assert unpacked(data) is None


def test_a_button_that_does_not_fit_is_our_own_mistake():
    with pytest.raises(ValueError, match="does not fit"):
        packed(Button("x", "a" * 21, {}))
