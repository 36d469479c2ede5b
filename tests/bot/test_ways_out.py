"""What a person sends and presses when a source could not be read; links; passwords (rules SRC-5, CHT-9, SEC)."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from bot.handlers.context import Context
from bot.screens.render import Renderer
from pipeline.commands.episode import Asking
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason, SourceLimits
from pipeline.providers.parse_fake import FakeParser
from storage.blobs import FolderBlobs
from storage.transactions.chat.store_update import MASK, store_update
from storage.tx import transaction
from tests.bot.test_inbox import handle_all
from tests.support.clock import StandingClock
from tests.support.rows import execute, owner_and_chat, rows, scalar, submitted

BODY = "湖面在十二月结冰，冰层厚三十厘米，值守人员每周测量一次。"
SECRET = "open-sesame-1"


class LockedParser(FakeParser):
    async def unlock(self, data: bytes, *, password: str) -> bytes:
        if password != SECRET:
            raise InputRejected(Reason.WRONG_PASSWORD)
        return b"%PDF-1.4 opened"


@pytest.fixture
def context(engine, tmp_path) -> Context:
    return Context(engine, FolderBlobs(tmp_path), StandingClock(), Asking(120.0, {}), SourceLimits(), LockedParser())


async def send(engine, payload: dict[str, Any], *, said: bool = False) -> None:
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await store_update(
            tx,
            channel="web",
            external_id=str(uuid.uuid4()),
            chat_id=chat,
            payload=payload,
            said={"text": payload.get("text", ""), "files": []} if said else None,
        )


async def press(engine, verb: str, revision: int) -> None:
    await send(engine, {"type": "press", "message_id": 1, "verb": verb, "args": {"revision": revision}})


async def stored(context, engine, name: str, data: bytes) -> dict[str, Any]:
    owner, _ = await owner_and_chat(engine)
    blob = await context.blobs.put(data, owner_id=owner)
    return {"name": name, "size": len(data), "paste": False, "blob_key": blob.key, "sha256": blob.sha256}


async def failed(engine, **changes: Any) -> int:
    """A revision whose source could not be read."""
    revision = await submitted(engine, **changes)
    await execute(
        engine,
        "UPDATE generation_run SET state = 'FAILED', finished_at = now(), error_reason = 'no_text' WHERE revision_id = :r",
        r=revision,
    )
    return revision


async def notes(engine) -> list[str]:
    found = await rows(engine, "SELECT args->>'key' FROM outbox_message WHERE kind = 'note' ORDER BY id")
    return [key for (key,) in found]


async def test_pasted_text_continues_the_source(engine, context):
    revision = await failed(
        engine, input_type="link", origin="https://example.org/a", blob_key=None, raw_sha256=None, size_bytes=None
    )
    await press(engine, "paste_body", revision)
    await handle_all(context)
    await send(engine, {"type": "message", "text": "太短"})
    await handle_all(context)
    await send(engine, {"type": "message", "text": BODY})
    await handle_all(context)
    assert await notes(engine) == ["paste_body", "text_too_short", "supplied_pasted"]
    assert await rows(engine, "SELECT input_type, origin FROM source") == [("paste", "https://example.org/a")]
    assert await rows(engine, "SELECT state FROM generation_run") == [("QUEUED",)]
    assert await scalar(engine, "SELECT dialogue FROM chat") is None


async def test_an_uploaded_file_continues_the_source_and_more_files_are_sources_of_their_own(engine, context):
    revision = await failed(engine)
    await press(engine, "upload_pdf", revision)
    await handle_all(context)
    files = [
        await stored(context, engine, "好.pdf", b"%PDF-1.4 good"),
        await stored(context, engine, "另一份.txt", BODY.encode()),
    ]
    await send(engine, {"type": "message", "text": "", "files": files})
    await handle_all(context)
    assert await rows(engine, "SELECT name, input_type FROM source ORDER BY id") == [
        ("好.pdf", "pdf"),
        ("另一份.txt", "text"),
    ]
    assert "supplied_uploaded" in await notes(engine)


async def test_what_is_no_longer_needed_is_not_lost(engine, context):
    """The run was retried meanwhile and works: the text that comes becomes a source of its own."""
    revision = await failed(engine)
    await press(engine, "paste_body", revision)
    await handle_all(context)
    await execute(engine, "UPDATE generation_run SET state = 'QUEUED', finished_at = NULL")
    await send(engine, {"type": "message", "text": BODY})
    await handle_all(context)
    assert await scalar(engine, "SELECT count(*) FROM source") == 2
    assert await notes(engine) == ["paste_body"]


async def test_a_link_while_the_text_is_waited_for_is_a_source_of_its_own(engine, context):
    revision = await failed(engine)
    await press(engine, "paste_body", revision)
    await send(engine, {"type": "message", "text": "https://example.org/b"})
    await handle_all(context)
    assert await scalar(engine, "SELECT count(*) FROM source WHERE input_type = 'link'") == 1
    assert await scalar(engine, "SELECT state FROM generation_run WHERE revision_id = :r", r=revision) == "FAILED"


async def test_a_password_opens_the_pdf_and_is_kept_nowhere(engine, context, caplog):
    """SEC, CHT-8: it is needed once; the thread, the stored update, the source and the log are without it."""
    owner, _ = await owner_and_chat(engine)
    blob = await context.blobs.put(b"%PDF-1.4 locked", owner_id=owner)
    revision = await failed(engine, input_type="pdf", name="锁.pdf", blob_key=blob.key, raw_sha256=blob.sha256)
    await press(engine, "password", revision)
    await handle_all(context)
    for said in ("wrong-" + SECRET, SECRET):
        await send(engine, {"type": "message", "text": said}, said=True)
        await handle_all(context)
    assert await notes(engine) == ["ask_password", "wrong_password", "supplied_unlocked"]
    assert await scalar(engine, "SELECT way FROM source_capture") == "unlocked"
    opened = await scalar(engine, "SELECT blob_key FROM source")
    assert await context.blobs.get(opened) == b"%PDF-1.4 opened"
    for table in ("inbox_update", "chat_message", "source", "outbox_message", "source_capture", "chat", "run_event"):
        found = await rows(engine, f"SELECT to_jsonb(t)::text FROM {table} t")
        assert SECRET not in json.dumps(found, default=str), table
    assert SECRET not in caplog.text
    assert {json.loads(p)["text"] for (p,) in await rows(engine, "SELECT payload::text FROM chat_message")} == {MASK}


async def test_links_and_words_become_sources_with_the_question(engine, context):
    """SRC-1: each link for itself; an address inside is refused by name, the others go on."""
    text = "https://example.org/a#:~:text=%E5%86%B0%E5%B1%82 和 http://10.0.0.8/x 冰有多厚？"
    await send(engine, {"type": "message", "text": text})
    await handle_all(context)
    assert await rows(engine, "SELECT input_type, origin, hint, note FROM source") == [
        ("link", "https://example.org/a#:~:text=%E5%86%B0%E5%B1%82", "冰层", "和 冰有多厚？")
    ]
    refused = await rows(engine, "SELECT args->>'key', args->>'file' FROM outbox_message WHERE kind = 'note'")
    assert refused == [("address_refused", "http://10.0.0.8/x")]


async def test_more_links_than_are_taken_at_once_are_said(engine, context):
    text = "\n".join(f"https://example.org/{n}" for n in range(12))
    await send(engine, {"type": "message", "text": text})
    await handle_all(context)
    assert await scalar(engine, "SELECT count(*) FROM source") == 10
    assert await notes(engine) == ["too_many_links"]


async def test_a_long_text_with_links_in_it_is_a_text(engine, context):
    await send(engine, {"type": "message", "text": "见 https://example.org/a 。" + BODY * 10})
    await handle_all(context)
    assert await rows(engine, "SELECT input_type FROM source") == [("paste",)]


async def test_the_marked_words_become_the_question_by_a_press(engine, context):
    """SRC-7: a hint of the question, not more."""
    await send(engine, {"type": "message", "text": "https://example.org/a#:~:text=%E5%86%B0%E5%B1%82"})
    await handle_all(context)
    revision = await scalar(engine, "SELECT id FROM episode_revision")
    await press(engine, "hint", revision)
    await handle_all(context)
    assert await scalar(engine, "SELECT question FROM episode_revision") == "「冰层」说的是什么？"


async def test_a_page_is_looked_at_again_once_at_a_time(engine, context):
    revision = await submitted(engine, input_type="html", origin="https://example.org/a")
    for _ in range(2):
        await press(engine, "refetch", revision)
    await handle_all(context)
    assert await scalar(engine, "SELECT count(*) FROM generation_run WHERE kind = 'REFRESH'") == 1
    assert await notes(engine) == ["refetch_running"]


async def test_the_queue_says_what_waits_and_why(engine, context):
    owner, _ = await owner_and_chat(engine)
    asking = await submitted(engine, question=None, name="一.txt")
    await submitted(engine, question="甲？", name="二.txt")
    await submitted(engine, question="乙？", name="三.txt")
    review = await submitted(engine, question="丙？", name="四.txt")
    await execute(engine, "UPDATE generation_run SET state = 'WAITING_REVIEW' WHERE revision_id = :r", r=review)
    await execute(
        engine,
        "UPDATE generation_run SET state = 'SUCCEEDED', finished_at = now() WHERE revision_id = :r AND kind = 'INTAKE'",
        r=asking,
    )
    unread = await submitted(engine, question=None, name="读不了.txt")
    await execute(
        engine,
        "UPDATE generation_run SET state = 'FAILED', finished_at = now() WHERE revision_id = :r AND kind = 'INTAKE'",
        r=unread,
    )
    await send(engine, {"type": "message", "text": "/queue"})
    await handle_all(context)
    assert await scalar(engine, "SELECT count(*) FROM outbox_message WHERE kind = 'queue'") == 1
    said = (await Renderer(engine).render(kind="queue", subject_id=None, args={}, owner_id=owner, language="zh")).text
    assert "还有 4 件没做完" in said
    assert "读不了" not in said  # it has failed, and its own message says so
    for name, why in [
        ("一.txt", "等你的问题"),
        ("二.txt", "下一个就是它"),
        ("三.txt", "前面还有 1 件"),
        ("四.txt", "结果不明"),
    ]:
        after = said[said.index(name) :]
        assert why in after.split("\n")[1]


@pytest.mark.parametrize(("text", "key"), [("/help", "help"), ("/start", "welcome"), ("/nonsense", "unknown_command")])
async def test_commands_are_never_sources(engine, context, text, key):
    await send(engine, {"type": "message", "text": text})
    await handle_all(context)
    assert await notes(engine) == [key]
    assert await scalar(engine, "SELECT count(*) FROM source") == 0


async def test_nothing_to_do_is_said(engine, context):
    owner, _ = await owner_and_chat(engine)
    said = await Renderer(engine).render(kind="queue", subject_id=None, args={}, owner_id=owner, language="en")
    assert "everything is finished" in said.text


async def test_a_link_while_a_password_is_waited_for_is_a_source_and_no_password(engine, context):
    """CHT-9: nobody has to give the password first; the link is not lost."""
    owner, _ = await owner_and_chat(engine)
    blob = await context.blobs.put(b"%PDF-1.4 locked", owner_id=owner)
    revision = await failed(engine, input_type="pdf", name="锁.pdf", blob_key=blob.key, raw_sha256=blob.sha256)
    await press(engine, "password", revision)
    await handle_all(context)
    await send(engine, {"type": "message", "text": "https://example.org/another"})
    await handle_all(context)
    assert await notes(engine) == ["ask_password"]
    assert await scalar(engine, "SELECT count(*) FROM source WHERE origin = 'https://example.org/another'") == 1


async def test_words_beside_a_file_that_continues_a_source_are_not_dropped_unsaid(engine, context):
    revision = await failed(engine)
    await press(engine, "upload_pdf", revision)
    await handle_all(context)
    file = await stored(context, engine, "好.pdf", b"%PDF-1.4 good")
    await send(engine, {"type": "message", "text": "冰层有多厚？", "files": [file]})
    await handle_all(context)
    assert await notes(engine) == ["upload_pdf", "supplied_uploaded", "supplied_words"]
    assert await scalar(engine, "SELECT count(*) FROM source") == 1
