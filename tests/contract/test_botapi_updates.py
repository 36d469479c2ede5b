"""Updates of the Bot API simulator: confirmed by an offset, kept for a day, for one poller or for a webhook."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiogram.exceptions
import pytest
from aiohttp import web

from eval.simulators.botapi.webhook import SECRET_HEADER

DAY_S = 86_400


@pytest.fixture
async def ann(telegram):
    return await telegram.user("Ann")


def texts(updates) -> list[str]:
    return [u.message.text for u in updates]


async def test_an_update_comes_again_until_a_higher_offset_confirms_it(bot, ann):
    """CHT-1."""
    for n in range(3):
        await ann.send(f"m{n}")
    first = await bot.updates()
    assert texts(first) == ["m0", "m1", "m2"]
    assert texts(await bot.updates()) == ["m0", "m1", "m2"]
    assert texts(await bot.updates(offset=first[0].update_id + 1)) == ["m1", "m2"]
    assert texts(await bot.updates()) == ["m1", "m2"]
    assert texts(await bot.updates(offset=first[2].update_id + 1)) == []
    assert [u.update_id for u in first] == list(range(first[0].update_id, first[0].update_id + 3))


async def test_a_limit_gives_the_oldest_and_a_negative_offset_the_newest(telegram, bot, ann):
    for n in range(4):
        await ann.send(f"m{n}")
    assert texts(await bot.updates(limit=2)) == ["m0", "m1"]
    assert texts(await bot.updates(offset=-1)) == ["m3"]
    assert [u["message"]["text"] for u in await telegram.pending()] == ["m3"]


async def test_a_long_poll_ends_with_the_first_update(bot, ann):
    poll = asyncio.create_task(bot.updates(timeout=50))
    await asyncio.sleep(0.05)
    assert not poll.done()
    await ann.send("now")
    assert texts(await asyncio.wait_for(poll, 5)) == ["now"]


async def test_a_long_poll_ends_empty_at_its_time(telegram, bot):
    poll = asyncio.create_task(bot.updates(timeout=50))
    await asyncio.sleep(0.1)
    await telegram.advance(49)
    await asyncio.sleep(0.05)
    assert not poll.done()
    await telegram.advance(2)
    assert list(await asyncio.wait_for(poll, 5)) == []


async def test_an_update_is_kept_for_a_day(telegram, bot, ann):
    await ann.send("old")
    await telegram.advance(DAY_S - 10)
    await ann.send("new")
    assert texts(await bot.updates()) == ["old", "new"]
    await telegram.advance(20)
    assert texts(await bot.updates()) == ["new"]


async def test_only_what_was_named_comes_and_the_choice_is_remembered(bot, ann):
    assert list(await bot.updates(allowed_updates=["callback_query"])) == []
    await ann.send("unseen")
    assert list(await bot.updates()) == []
    assert list(await bot.updates(allowed_updates=[])) == []
    await ann.send("seen")
    assert texts(await bot.updates()) == ["seen"]


async def test_of_two_pollers_the_older_one_is_told(bot, telegram, ann):
    older = asyncio.create_task(bot.updates(timeout=50))
    await asyncio.sleep(0.1)
    newer = asyncio.create_task(telegram.call("getUpdates", timeout=50))
    with pytest.raises(bot.errors.conflict, match="terminated by other getUpdates request"):
        await asyncio.wait_for(older, 5)
    await ann.send("for the newer")
    (update,) = (await asyncio.wait_for(newer, 5)).json()["result"]
    assert update["message"]["text"] == "for the newer"


async def test_a_poison_update_stands_in_the_way_of_a_library_and_not_of_raw_json(telegram, bot, ann):
    """The forwarded post of aiogram #1840: a hidden_user without a name. Raw, because a library cannot write it."""
    await ann.send("before")
    poison = {"type": "hidden_user", "date": 1}
    chat = {"id": ann.id, "type": "private", "first_name": "Ann"}
    await telegram.push(message={"message_id": 900, "date": 1, "chat": chat, "text": "x", "forward_origin": poison})
    await telegram.push(a_kind_of_tomorrow={"id": "1"})
    await ann.send("after")
    raw = (await telegram.call("getUpdates")).json()["result"]
    assert [list(u)[1] for u in raw] == ["message", "message", "a_kind_of_tomorrow", "message"]
    with pytest.raises((aiogram.exceptions.ClientDecodeError, TypeError)):
        await bot.updates()


@dataclass
class Receiver:
    """The bot's own address. ``answers`` are the statuses of the next deliveries, then 200."""

    answers: list[int] = field(default_factory=list)
    bodies: list[dict] = field(default_factory=list)
    secrets: list[str | None] = field(default_factory=list)
    refuse_chat: int = 0
    url: str = ""
    came: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def post(self, request: web.Request) -> web.Response:
        body = json.loads(await request.text())
        status = self.answers.pop(0) if self.answers else 200
        if body.get("message", {}).get("chat", {}).get("id") == self.refuse_chat:
            status = 500
        async with self.came:
            self.bodies.append(body)
            self.secrets.append(request.headers.get(SECRET_HEADER))
            self.came.notify_all()
        return web.Response(status=status)

    async def received(self, count: int) -> list[str]:
        async with self.came:
            await asyncio.wait_for(self.came.wait_for(lambda: len(self.bodies) >= count), 5)
        return [b["message"]["text"] for b in self.bodies]


@asynccontextmanager
async def receiver():
    one, app = Receiver(), web.Application()
    app.router.add_post("/hook", one.post)
    runner = web.AppRunner(app, shutdown_timeout=0.05)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    one.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield one
    await runner.cleanup()


async def nothing_waits(telegram) -> None:
    async with asyncio.timeout(5):
        while await telegram.pending():
            await asyncio.sleep(0.01)


async def test_a_webhook_gets_its_secret_with_every_update(telegram, bot, ann):
    async with receiver() as hook:
        await ann.send("waited")
        assert await bot.set_webhook(hook.url, secret_token="a-secret_1") is True
        await ann.send("came")
        assert await hook.received(2) == ["waited", "came"]
        assert hook.secrets == ["a-secret_1"] * 2
        await nothing_waits(telegram)
        info = await bot.webhook()
        assert (info.url, info.pending_update_count) == (hook.url, 0)
        await bot.delete_webhook()
    assert (await bot.webhook()).url == ""


async def test_a_webhook_and_a_poller_exclude_each_other(bot, ann):
    async with receiver() as hook:
        poll = asyncio.create_task(bot.updates(timeout=50))
        await asyncio.sleep(0.1)
        await bot.set_webhook(hook.url)
        with pytest.raises(bot.errors.conflict, match="terminated by setWebhook"):
            await asyncio.wait_for(poll, 5)
        with pytest.raises(bot.errors.conflict, match="while webhook is active"):
            await bot.updates()
        await bot.delete_webhook()
    await ann.send("polled")
    assert texts(await bot.updates()) == ["polled"]


async def test_a_webhook_that_fails_is_tried_again_with_growing_waits(telegram, bot, ann):
    """CHT-1: an update may come more than once, and is the same each time."""
    async with receiver() as hook:
        hook.answers = [500, 404, 302]
        await bot.set_webhook(hook.url)
        await ann.send("again")
        for tries, wait in ((1, 1), (2, 2), (3, 4)):
            await hook.received(tries)
            await until_error(bot, tries)
            await telegram.advance(wait - 0.5)
            await asyncio.sleep(0.05)
            assert len(hook.bodies) == tries, "tried before its time"
            await telegram.advance(0.6)
        await hook.received(4)
        await nothing_waits(telegram)
        assert len({json.dumps(b) for b in hook.bodies}) == 1
        info = await bot.webhook()
        assert "302" in info.last_error_message


async def until_error(bot, tries: int) -> None:
    """Return when the simulator has read the answer, and so has begun to wait."""
    status = {1: "500", 2: "404", 3: "302"}[tries]
    async with asyncio.timeout(5):
        while status not in ((await bot.webhook()).last_error_message or ""):
            await asyncio.sleep(0.01)


async def test_a_chat_that_is_refused_does_not_hold_up_another(telegram, bot, ann):
    bo = await telegram.user("Bo")
    async with receiver() as hook:
        hook.refuse_chat = ann.id
        await bot.set_webhook(hook.url)
        await ann.send("a1")
        await ann.send("a2")
        await bo.send("b1")
        assert sorted(await hook.received(2)) == ["a1", "b1"]
        await asyncio.sleep(0.05)
        assert "a2" not in [b["message"]["text"] for b in hook.bodies], "out of order within a chat"
        hook.refuse_chat = 0
        await telegram.advance(2)
        assert (await hook.received(4))[-2:] == ["a1", "a2"]


WRONG_HOOKS = [
    ("not an address", {"url": "somewhere"}, "invalid webhook URL"),
    ("a secret with a space", {"url": "http://127.0.0.1/", "secret_token": "a b"}, "unallowed characters"),
    ("a long secret", {"url": "http://127.0.0.1/", "secret_token": "a" * 257}, "too long"),
]


@pytest.mark.parametrize(("given", "why"), [c[1:] for c in WRONG_HOOKS], ids=[c[0] for c in WRONG_HOOKS])
async def test_a_webhook_of_another_shape_is_refused(bot, given, why):
    with pytest.raises(bot.errors.bad, match=f"(?i){why}"):
        await bot.set_webhook(**given)
    assert (await bot.webhook()).url == ""


async def test_ports_and_https_are_checked_when_told(telegram, bot):
    await telegram.limits(webhook_ports=True, webhook_https=True)
    with pytest.raises(bot.errors.bad, match="(?i)https url must be provided"):
        await bot.set_webhook("http://bot.example/hook")
    with pytest.raises(bot.errors.bad, match="(?i)ports 80, 88, 443 or 8443"):
        await bot.set_webhook("https://bot.example:3000/hook")
