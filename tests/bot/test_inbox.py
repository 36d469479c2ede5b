"""Every update is settled once, and none stands in the way of the others (rule CHT-1)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot import inbox
from bot.handlers.context import Context
from pipeline.commands.episode import Asking
from pipeline.domain.source import SourceLimits
from pipeline.providers.parse_fake import FakeParser
from storage.blobs import FolderBlobs
from storage.queries.chat.inbox import waiting
from storage.transactions.chat.store_update import store_update
from storage.transactions.owner.first_owner import chat_of
from storage.tx import transaction
from tests.support.blobs import MemoryBlobs
from tests.support.clock import StandingClock
from tests.support.house import Wake
from tests.support.rows import owner_and_chat, rows, scalar, submitted

ASK = {"type": "press", "message_id": 1, "verb": "points"}


@pytest.fixture
def context(engine, tmp_path) -> Context:
    return Context(engine, FolderBlobs(tmp_path), StandingClock(), Asking(120.0, {}), SourceLimits(), FakeParser())


async def store(engine, chat: int, key: str, payload: dict[str, Any]) -> None:
    async with transaction(engine) as tx:
        await store_update(tx, channel="web", external_id=key, chat_id=chat, payload=payload)


async def handle_all(context: Context) -> None:
    stopping = asyncio.Event()
    serving = asyncio.create_task(inbox.serve(context, Wake(), ["web"], stopping))
    try:
        async with asyncio.timeout(10):
            while await waiting(context.engine, channels=["web"]):
                await asyncio.sleep(0.02)
    finally:
        stopping.set()
        await serving


async def test_an_update_the_database_cannot_hold_is_set_aside_and_the_next_is_handled(engine, context):
    """CHT-1: malformed is set aside and told; it never blocks the rest."""
    _, chat = await owner_and_chat(engine)
    revision = await submitted(engine)
    await store(engine, chat, "1", {**ASK, "args": {"revision": 10**30}})
    await store(engine, chat, "2", {**ASK, "verb": "reask", "args": {"revision": revision}})
    await handle_all(context)
    assert await rows(engine, "SELECT state FROM inbox_update ORDER BY id") == [("set_aside",), ("handled",)]
    notes = await rows(engine, "SELECT args->>'key' FROM outbox_message WHERE kind = 'note' ORDER BY id")
    assert notes == [("generic",), ("ask_question",)]


async def test_an_update_that_two_processes_see_is_acted_on_once(engine, context):
    """Two chat processes read the same stored update; a question asked twice would be two revisions."""
    _, chat = await owner_and_chat(engine)
    revision = await submitted(engine)
    await store(engine, chat, "1", {**ASK, "args": {"revision": revision}})
    (seen,) = await waiting(engine, channels=["web"])
    await asyncio.gather(inbox.settle(context, seen), inbox.settle(context, seen))
    assert await scalar(engine, "SELECT count(*) FROM episode_revision") == 2  # the first, and the one asked for once


async def test_trouble_of_one_chat_is_not_trouble_of_another(engine, context):
    owner, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        other = await chat_of(tx, owner_id=owner, channel="web", external_id="second")
    await store(engine, chat, "1", {"type": "message", "text": "短"})
    await store(engine, other, "2", {"type": "message", "text": "短"})
    async with transaction(engine) as tx:  # somebody holds the first chat's update for a while
        await tx.rows("SELECT id FROM inbox_update WHERE chat_id = :chat FOR UPDATE", chat=chat)
        serving = asyncio.create_task(inbox.serve(context, Wake(), ["web"], stopping := asyncio.Event()))
        async with asyncio.timeout(4):
            while await scalar(engine, "SELECT count(*) FROM inbox_update WHERE state = 'handled'") != 1:
                await asyncio.sleep(0.02)
    async with asyncio.timeout(10):
        while await waiting(engine, channels=["web"]):
            await asyncio.sleep(0.02)
    stopping.set()
    await serving


async def kept(context, engine, name: str, data: bytes) -> dict[str, Any]:
    owner, _ = await owner_and_chat(engine)
    blob = await context.blobs.put(data, owner_id=owner)
    return {"name": name, "size": len(data), "paste": False, "blob_key": blob.key, "sha256": blob.sha256}


async def test_of_several_files_the_good_ones_go_on_and_each_bad_one_is_named(engine, context):
    """SRC-1: files dropped together are sources of their own; one mistake does not cost the others."""
    _, chat = await owner_and_chat(engine)
    files = [
        await kept(context, engine, "空.txt", b""),
        await kept(context, engine, "好.txt", "湖面在十二月结冰，冰层厚三十厘米。".encode()),
        await kept(context, engine, "片.txt", b"\0\0\0\x20ftypisom" + b"\0" * 50),
    ]
    await store(engine, chat, "1", {"type": "message", "text": "冰有多厚？", "files": files})
    await handle_all(context)
    assert await rows(engine, "SELECT name FROM source") == [("好.txt",)]
    notes = "SELECT args->>'key', args->>'file' FROM outbox_message WHERE kind = 'note' ORDER BY id"
    assert await rows(engine, notes) == [("empty_file", "空.txt"), ("wrong_kind", "片.txt")]
    assert await rows(engine, "SELECT state FROM inbox_update") == [("handled",)]


async def test_a_link_is_never_taken_for_the_question_that_is_waited_for(engine, context):
    """CHT-9."""
    _, chat = await owner_and_chat(engine)
    revision = await submitted(engine, question=None)
    await store(engine, chat, "1", {"type": "press", "message_id": 1, "verb": "reask", "args": {"revision": revision}})
    await store(engine, chat, "2", {"type": "message", "text": "https://example.org/a?b=1"})
    await handle_all(context)
    assert await rows(engine, "SELECT input_type, origin FROM source ORDER BY id") == [
        ("text", None),
        ("link", "https://example.org/a?b=1"),
    ]
    assert await scalar(engine, "SELECT count(*) FROM episode_revision WHERE question IS NOT NULL") == 0


async def test_a_question_asked_twice_by_a_button_is_answered_once(engine, context):
    """CHT-5: pressed twice, pressed late, pressed on an older card: no second effect while the first is on its way."""
    _, chat = await owner_and_chat(engine)
    revision = await submitted(engine, question="原来的问题？")
    for key in ("1", "2", "3"):
        await store(engine, chat, key, {**ASK, "args": {"revision": revision}})
    await handle_all(context)
    made = await rows(engine, "SELECT question, number FROM episode_revision ORDER BY id")
    assert made == [("原来的问题？", 1), ("讲要点", 2)]
    await store(engine, chat, "4", {**ASK, "verb": "cancel", "args": {"revision": revision + 1}})
    for key in ("5", "6"):
        await store(engine, chat, key, {**ASK, "verb": "retry", "args": {"revision": revision + 1}})
    await handle_all(context)
    states = await rows(engine, "SELECT state FROM generation_run ORDER BY id")
    assert states == [("CANCELLED",), ("CANCELLED",), ("QUEUED",)]


async def test_a_chat_that_takes_long_holds_up_no_other(engine, context):
    """CHT-5: whoever presses a button here does not wait for a locked PDF there."""
    owner, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        other = await chat_of(tx, owner_id=owner, channel="web", external_id="second")
    opened = asyncio.Event()

    class Slow(MemoryBlobs):
        async def get(self, key: str) -> bytes:
            await opened.wait()
            return await super().get(key)

    slow = replace(context, blobs=Slow())
    blob = await slow.blobs.put("湖面结冰。".encode(), owner_id=owner)
    file = {"name": "a.txt", "size": 1, "paste": False, "blob_key": blob.key, "sha256": blob.sha256}
    await store(engine, chat, "1", {"type": "message", "text": "为什么？", "files": [file]})
    await store(engine, other, "2", {"type": "message", "text": "短"})
    serving = asyncio.create_task(inbox.serve(slow, Wake(), ["web"], stopping := asyncio.Event()))
    async with asyncio.timeout(5):
        while await rows(engine, "SELECT external_id FROM inbox_update WHERE state = 'handled'") != [("2",)]:
            await asyncio.sleep(0.02)
        await store(engine, other, "3", {"type": "message", "text": "短"})
        while await scalar(engine, "SELECT count(*) FROM inbox_update WHERE state = 'handled'") != 2:
            await asyncio.sleep(0.02)
    opened.set()
    async with asyncio.timeout(5):
        while await waiting(engine, channels=["web"]):
            await asyncio.sleep(0.02)
    stopping.set()
    await serving
