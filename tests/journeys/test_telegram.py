"""The product on Telegram, from a person's side: a process, a strict Bot API in another, nothing else."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from eval.simulators.botapi.log import doubled, pace
from eval.simulators.botapi.start import botapi_process
from eval.simulators.botapi.telegram import Telegram
from eval.simulators.botapi.users import User
from eval.simulators.product import Product
from tests.journeys.test_kill import article
from tests.support.folders import walkable
from tests.support.product import product, until

pytestmark = pytest.mark.slow
ASK = "讲要点"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    walkable(tmp_path)
    return tmp_path / "data"


@asynccontextmanager
async def met() -> AsyncIterator[tuple[Telegram, User]]:
    async with botapi_process() as telegram:
        yield telegram, await telegram.user("Ann", language_code="zh-hans")


def settings(telegram: Telegram, ann: User, **more: str) -> dict[str, str]:
    return {
        "TELEGRAM_TOKEN": telegram.token,
        "TELEGRAM_API_BASE": telegram.base,
        "TELEGRAM_ALLOWED": str(ann.id),
        **more,
    }


def voices(view: Any) -> list[Any]:
    return [m for m in view.bot if m.media in ("voice", "audio")]


def no_token(running: Product, telegram: Telegram) -> None:
    assert not [line for line in running.output if telegram.token in line]


async def test_a_document_becomes_a_voice_note_whose_evidence_opens(data):
    """CHT-2, CHT-3, CHT-5, CHT-8: by polling; receipt edited in place, buttons answered, pace kept, no secret told."""
    async with met() as (telegram, ann), product(data, **settings(telegram, ann)) as running:
        await ann.send_file("document", article(1), name="机房.md", caption=ASK)
        view = await ann.chat.until(voices, timeout_s=90)
        (voice,) = voices(view)
        assert voice.media == "voice"
        assert (await telegram.file(voice.file_id))[:4] == b"OggS"
        assert "依据页" not in "".join(voice.labels)  # no PUBLIC_URL, no button that opens a page
        view = await ann.chat.until(lambda v: "✓" in v.bot[0].text and "▶" not in v.bot[0].text)
        receipt = view.bot[0]
        assert receipt.before  # edited, not sent anew
        evidence = await (await ann.press(voice, voice.labels[0])).answered()
        assert evidence.text == ""  # how soon is the bench's to say: speech and pages share these cores
        view = await ann.chat.until(lambda v: any("【" in m.text for m in v.bot))
        card = next(m for m in view.bot if "【" in m.text)
        forward = next(label for label in card.labels if "▶" in label or "下" in label)
        await (await ann.press(card, forward)).answered()
        view = await ann.chat.until(lambda v: any(m.message_id == card.message_id and m.before for m in v.bot))
        await (await ann.press(voice, voice.labels[1])).answered()
        await ann.chat.until(lambda v: any("0:00" in m.text for m in v.bot))
        log = await telegram.log()
        assert doubled(log) == []
        assert pace(log) == []
        assert not [c for c in log if c.status == 429]
        no_token(running, telegram)


async def test_a_person_who_takes_no_voice_notes_gets_a_file_of_sound(data):
    """CHT-2: VOICE_MESSAGES_FORBIDDEN is remembered."""
    async with met() as (telegram, ann), product(data, **settings(telegram, ann)):
        await ann.forbid_voice()
        for case in (2, 3):
            await ann.send_file("document", article(case), name=f"{case}.md", caption=ASK)
            await ann.chat.until(lambda v, case=case: len(voices(v)) == case - 1, timeout_s=90)
        view = await ann.chat.view()
        assert [m.media for m in voices(view)] == ["audio", "audio"]
        assert [c.method for c in await telegram.log() if "Voice" in c.method] == ["sendVoice"]


async def test_killed_after_the_voice_note_left_it_is_not_sent_twice(data):
    """CHT-2, CHT-7: delivered, and the process died before it could note so; the person is asked, not flooded."""
    async with met() as (telegram, ann):
        async with product(data, **settings(telegram, ann)) as first:
            await telegram.fail("slow", "sendVoice", seconds=30)  # done at once, answered too late
            await ann.send_file("document", article(4), name="机房.md", caption=ASK)
            await ann.chat.until(voices, timeout_s=90)
            first.process.send_signal(signal.SIGKILL)
            await first.killed()
        async with product(data, **settings(telegram, ann)):
            view = await ann.chat.until(lambda v: any("再发一次" in m.labels for m in v.bot), timeout_s=60)
            assert len(voices(view)) == 1
            view = await ann.chat.until(lambda v: "✓" in v.bot[0].text and "▶" not in v.bot[0].text)
            offer = next(m for m in view.bot if "再发一次" in m.labels)
            await (await ann.press(offer, "再发一次")).answered()
            await ann.chat.until(lambda v: len(voices(v)) == 2)


async def test_by_webhook_the_same_message_comes_in(data):
    """CHT-1, SEC-2: stored before it is acknowledged; without the secret nothing is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    more = {"TELEGRAM_WEBHOOK_SECRET": "a-secret-of-sixteen-letters", "PUBLIC_URL": f"http://127.0.0.1:{port}"}
    async with met() as (telegram, ann), product(data, port=port, **settings(telegram, ann, **more)) as running:
        await until(lambda: _called(telegram, "setWebhook"))
        url = f"http://127.0.0.1:{port}/telegram/webhook"
        foreign = await telegram.wire.client.post(url, json={"update_id": 1})
        wrong = await telegram.wire.client.post(
            url, json={"update_id": 1}, headers={"X-Telegram-Bot-Api-Secret-Token": "x" * 27}
        )
        assert (foreign.status_code, wrong.status_code) == (403, 403)
        await ann.send("/help")
        await ann.chat.until(lambda v: v.bot)
        assert not await _called(telegram, "getUpdates")
        assert "a-secret-of-sixteen-letters" not in "".join(running.output)
        no_token(running, telegram)


async def _called(telegram: Telegram, method: str) -> bool:
    await asyncio.sleep(0)
    return any(c.method.lower() == method.lower() and c.outcome == "done" for c in await telegram.log())
