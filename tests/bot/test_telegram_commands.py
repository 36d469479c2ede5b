"""Telegram is told the commands when the bot connects; that it was not is harmless and said (rule CHT-8)."""

from __future__ import annotations

import pytest

from bot.telegram import show_commands
from bot.texts.command import COMMANDS
from tests.support.telegram import line


async def told(telegram, language: str) -> list[str]:
    answer = await telegram.call("getMyCommands", language_code=language)
    return [one["description"] for one in answer.json()["result"]]


@pytest.mark.parametrize(("default", "others"), [("zh", "zh"), ("en", "en")])
async def test_each_client_is_told_in_its_language_and_the_others_in_the_default(engine, default, others):
    async with line(engine) as ann:
        for _ in range(2):  # at every start again
            await show_commands(ann.connection, default)
        for language, lang in (("zh", "zh"), ("en", "en"), ("", others), ("de", None)):
            expected = [text(lang) for text in COMMANDS.values()] if lang else []
            assert await told(ann.telegram, language) == expected


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "drop"},
        {"kind": "garbled"},
        {"kind": "flood", "seconds": 1.0},
        {"kind": "status", "status": 502},
        {"kind": "status", "status": 401},
        {"kind": "status", "status": 404},
    ],
)
async def test_that_telegram_was_not_told_is_logged_without_the_token_and_stops_nothing(engine, caplog, fault):
    """CHT-8."""
    async with line(engine) as ann:
        await ann.telegram.fail(method="setMyCommands", times=-1, **fault)
        await show_commands(ann.connection, "zh")
        assert "was not told the commands" in caplog.text
        assert ann.telegram.token not in caplog.text
        assert await ann.connection.me(frozenset({ann.ann.id})) == ann.door.me
