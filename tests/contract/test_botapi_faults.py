"""Calls to the Bot API simulator that go wrong on purpose, and its life as a process."""

from __future__ import annotations

import asyncio
import sys

import httpx
import pytest

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.log import doubled
from eval.simulators.botapi.server import Server
from eval.simulators.botapi.simulator import Simulator
from eval.simulators.botapi.start import botapi_process
from eval.simulators.botapi.telegram import Telegram


@pytest.fixture
async def ann(telegram):
    await telegram.limits(flood=False)
    return await telegram.user("Ann")


@pytest.fixture
async def hasty(bot, telegram):
    """The same client with little patience: what hangs, hangs in real time."""
    client = type(bot)(telegram.base, telegram.token, timeout_s=0.3)
    await client.start()
    yield client
    await client.close()


@pytest.mark.parametrize("kind", ["lost", "hang"])
async def test_done_and_not_told(telegram, hasty, ann, kind):
    """CHT-2: a send that timed out may have arrived; whoever sends it again doubles it."""
    await telegram.fail(kind, "sendMessage")
    with pytest.raises(hasty.errors.network):
        await hasty.send(ann.id, "one")
    assert (await ann.chat.view()).texts == ["one"]
    (call,) = await telegram.log()
    assert (call.outcome, call.status, call.happened) == ("lost", 0, True)
    assert doubled([call]) == []
    await hasty.send(ann.id, "one")
    assert [[c.number for c in calls] for calls in doubled(await telegram.log())] == [[1, 2]]


@pytest.mark.parametrize("kind", ["drop", "mute"])
async def test_neither_done_nor_told(telegram, hasty, ann, kind):
    await telegram.fail(kind, "sendMessage")
    with pytest.raises(hasty.errors.network):
        await hasty.send(ann.id, "one")
    assert (await ann.chat.view()).texts == []
    await hasty.send(ann.id, "one")
    assert [c.outcome for c in await telegram.log()] == ["dropped", "done"]
    assert doubled(await telegram.log()) == []


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_server_error_says_nothing_about_what_was_done(telegram, bot, ann, status, done):
    await telegram.fail("status", "sendMessage", status=status, done=done)
    with pytest.raises(bot.errors.server):
        await bot.send(ann.id, "one")
    assert (await ann.chat.view()).texts == (["one"] if done else [])
    (call,) = await telegram.log()
    assert (call.status, call.happened) == (status, done)


async def test_an_answer_nobody_can_read(telegram, bot, ann):
    await telegram.fail("garbled", "sendMessage")
    with pytest.raises(Exception, match="(?i)decode|invalid server response"):
        await bot.send(ann.id, "one")
    assert (await ann.chat.view()).texts == ["one"]


@pytest.mark.parametrize(("kind", "at_once"), [("slow", True), ("late", False)])
async def test_an_answer_that_takes_its_time(telegram, bot, ann, kind, at_once):
    await telegram.fail(kind, "sendMessage", seconds=30)
    sending = asyncio.create_task(bot.send(ann.id, "one"))
    await asyncio.sleep(0.1)
    assert (await ann.chat.view()).texts == (["one"] if at_once else [])
    assert not sending.done()
    await telegram.advance(31)
    assert (await asyncio.wait_for(sending, 5)).text == "one"
    assert (await ann.chat.view()).texts == ["one"]


async def test_a_ban_of_so_many_seconds(telegram, bot, ann):
    """CHT-3. It stands although the limits are off, and ends when it said it would."""
    bo = await telegram.user("Bo")
    await telegram.fail("flood", "sendMessage", seconds=209)
    with pytest.raises(bot.errors.flood) as caught:
        await bot.send(ann.id, "one")
    assert bot.retry_after_s(caught.value) == 209
    await bot.send(bo.id, "another chat goes on")
    await telegram.advance(210)
    await bot.send(ann.id, "one")


async def test_a_fault_is_of_a_method_of_a_chat_after_so_many_and_so_often(telegram, bot, ann):
    bo = await telegram.user("Bo")
    await telegram.fail("status", "sendMessage", chat_id=ann.id, skip=1, times=2)
    await bot.send(bo.id, "b")
    await bot.send(ann.id, "a1")
    await bot.action(ann.id, "typing")
    for _ in range(2):
        with pytest.raises(bot.errors.server):
            await bot.send(ann.id, "a2")
    await bot.send(ann.id, "a3")
    assert (await ann.chat.view()).texts == ["a1", "a3"]


async def test_a_poll_and_a_download_fail_too(telegram, bot, ann):
    number = await ann.send_file("document", b"abc", name="a.txt")
    await telegram.fail("drop", "getUpdates")
    await telegram.fail("status", "download")
    with pytest.raises(bot.errors.network):
        await bot.updates()
    (update,) = await bot.updates()
    assert update.message.message_id == number
    with pytest.raises(Exception, match="(?i)502|bad gateway"):
        await bot.download(update.message.document.file_id)
    assert await bot.download(update.message.document.file_id) == b"abc"


async def test_faults_that_nobody_took_can_be_counted_and_forgotten(telegram, bot, ann):
    await telegram.fail("drop", "sendVoice", times=-1)
    await telegram.fail("drop")
    assert await telegram.do("heal") == 2
    await bot.send(ann.id, "one")
    assert await telegram.do("heal") == 0


async def test_it_stops_and_starts_on_the_same_port_and_remembers():
    server = Server(Simulator(Clock()))
    telegram = Telegram(await server.start())
    ann = await telegram.user("Ann")
    await ann.send("before")
    await server.stop()
    with pytest.raises(httpx.TransportError):
        await ann.send("while nobody answers")
    assert await server.start() == telegram.base
    assert (await ann.chat.view()).texts == ["before"]
    await telegram.close()
    await server.stop()


async def test_who_hangs_does_not_keep_it_from_stopping():
    server = Server(Simulator(Clock(factor=0)))
    telegram = Telegram(await server.start())
    await telegram.fail("mute", "getMe")
    hanging = asyncio.create_task(telegram.call("getMe"))
    polling = asyncio.create_task(telegram.call("getUpdates", timeout=50))
    await asyncio.sleep(0.1)
    assert not hanging.done()
    assert not polling.done()
    await asyncio.wait_for(server.stop(), 5)
    ends = await asyncio.wait_for(asyncio.gather(hanging, polling, return_exceptions=True), 5)
    assert [isinstance(end, httpx.TransportError) for end in ends] == [True, True]
    await telegram.close()


async def test_a_process_of_its_own_serves_and_ends_with_its_parent():
    async with botapi_process(speed=0) as telegram:
        ann = await telegram.user("Ann")
        assert (await telegram.call("sendMessage", chat_id=ann.id, text="Hello")).json()["ok"] is True
        before = await telegram.do("now")
        await telegram.advance(60)
        assert await telegram.do("now") == pytest.approx(before + 60)
        assert (await ann.chat.view()).texts == ["Hello"]
        base = telegram.base
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.TransportError):
            await client.get(f"{base}/bot{telegram.token}/getMe")


async def test_a_killed_parent_leaves_no_process_behind():
    """A parent that starts one and dies of SIGKILL: the address is gone soon after."""
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PARENT), stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
    )
    base = (await parent.stdout.readline()).decode().strip()
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.post(f"{base}/control/now", json={})).status_code == 200
        parent.kill()
        await parent.wait()
        async with asyncio.timeout(10):
            while True:
                try:
                    await client.post(f"{base}/control/now", json={})
                except httpx.TransportError:
                    break
                await asyncio.sleep(0.02)


_PARENT = """
import asyncio
from eval.simulators.botapi.start import botapi_process

async def main():
    async with botapi_process() as telegram:
        print(telegram.base, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""
