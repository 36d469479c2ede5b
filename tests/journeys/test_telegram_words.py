"""Words typed behind a slash on Telegram, from a person's side: the process, a strict Bot API, nothing else."""

from __future__ import annotations

import asyncio

import pytest

from bot.texts.command import COMMANDS
from eval.simulators.botapi.log import doubled, pace
from eval.simulators.botapi.start import botapi_process
from tests.journeys.test_kill import article
from tests.journeys.test_telegram import ASK, data, no_token, settings, voices
from tests.support.product import product

__all__ = ["data"]  # the fixture
pytestmark = pytest.mark.slow


async def test_from_the_first_word_to_a_question_about_what_was_found(data):
    """CHT-5, CHT-8, CHT-10: greeted in her language; the card is edited in place; what is found can be asked."""
    async with botapi_process() as telegram:
        ann = await telegram.user("Ann", language_code="en")
        async with product(data, **settings(telegram, ann)) as running:
            await ann.send("/start")
            view = await ann.chat.until(lambda v: v.bot)
            assert view.bot[0].text.startswith("Hello")
            for language, lang in (("zh", "zh"), ("en", "en"), ("", "zh")):
                async with asyncio.timeout(10):
                    while not (await telegram.call("getMyCommands", language_code=language)).json()["result"]:
                        await asyncio.sleep(0.1)
                told = (await telegram.call("getMyCommands", language_code=language)).json()["result"]
                assert told == [{"command": name, "description": text(lang)} for name, text in COMMANDS.items()]
            await (await ann.press(view.bot[0], "Settings")).answered()
            view = await ann.chat.until(lambda v: any("Time zone" in m.text for m in v.bot))
            card = view.bot[-1]
            for pressed in ("1:zone:i4", "1:language:i0", "1:language:i0"):  # the last one on a card that has changed
                assert (await (await ann.press(card, pressed, stale=True)).answered()).text == ""
            await ann.chat.until(lambda v: any("柏林 (Europe/Berlin)" in m.text and m.before for m in v.bot))
            await ann.send_file("document", article(1), name="机房.md", caption=ASK)
            await ann.chat.until(voices, timeout_s=90)
            await ann.send("/find 机房")
            view = await ann.chat.until(lambda v: any("问这份资料" in m.labels for m in v.bot))
            found = next(m for m in view.bot if "问这份资料" in m.labels)
            await (await ann.press(found, "问这份资料")).answered()
            await ann.chat.until(lambda v: "你想弄清什么" in v.bot[-1].text)
            await ann.send("/cancel")
            await ann.chat.until(lambda v: "没有可取消的" in v.bot[-1].text)
            log = await telegram.log()
            assert doubled(log) == []
            assert pace(log) == []
            no_token(running, telegram)
