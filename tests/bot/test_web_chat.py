"""What goes through the chat page: messages once each, limits while streaming, presses, the stream of changes."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from bot.channels.port import Button, Outbound
from bot.screens.receipt import receipt
from bot.screens.voice import voice
from bot.web.deps import WebLimits
from bot.web.events import stream
from bot.web.session import Visitor, csrf_of
from storage.engine import engine_of
from storage.queries.chat.thread import thread
from tests.bot.test_screens import view
from tests.support.spoken import spoken_view
from tests.support.web import Face, Person, face

JSON = {"Accept": "application/json"}


def form(person: Person, text: str = "", *, key: str | None = None, files=(), pasted=()):
    """Fields first, as the page sends them."""
    parts = [("csrf", (None, person.csrf)), ("key", (None, key or str(uuid4()))), ("text", (None, text))]
    parts += [("pasted", (None, words)) for words in pasted]
    parts += [("files", (name, data)) for name, data in files]
    return parts


async def updates(web: Face) -> list[dict]:
    async with web.engine.connect() as c:
        return [row[0] for row in await c.execute(text("SELECT payload FROM inbox_update ORDER BY id"))]


async def test_a_message_is_stored_before_it_is_acknowledged(web):
    """Rule CHT-1."""
    person = await web.person()
    answer = await person.client.post(
        "/chat/messages",
        files=form(person, "为什么？", files=[("路灯.pdf", b"%PDF-1.7 x")], pasted=["甲\r\n乙"]),
        headers=JSON,
    )
    assert answer.status_code == 202
    (update,) = await updates(web)
    assert update["type"] == "message"
    assert update["text"] == "为什么？"
    paste, file = update["files"]
    assert (file["name"], file["size"], file["paste"]) == ("路灯.pdf", 10, False)
    assert (paste["name"], paste["paste"]) == ("", True)
    assert web.blobs.kept[file["blob_key"]] == b"%PDF-1.7 x"
    assert web.blobs.kept[paste["blob_key"]] == "甲\n乙".encode()
    (said,) = (await thread(web.engine, person.chat_id)).messages
    assert (said.author, said.kind, said.payload["text"]) == ("person", "said", "为什么？")


async def test_a_message_sent_again_is_one_message(web):
    """Rule SRC-2: same key, same payload → the first result; same key, other payload → refused."""
    person, key = await web.person(), str(uuid4())
    for _ in range(2):
        answer = await person.client.post("/chat/messages", files=form(person, "同一条", key=key), headers=JSON)
        assert answer.status_code == 202
    assert len(await updates(web)) == 1
    other = await person.client.post("/chat/messages", files=form(person, "另一条", key=key), headers=JSON)
    assert other.status_code == 409
    assert "作为新消息" in other.json()["error"]
    assert len((await thread(web.engine, person.chat_id)).messages) == 1


async def test_two_people_may_use_the_same_key(web):
    one, other, key = await web.person(), await web.person(), str(uuid4())
    for person in (one, other):
        assert (
            await person.client.post("/chat/messages", files=form(person, "x", key=key), headers=JSON)
        ).status_code == 202
    assert len(await updates(web)) == 2


@pytest.mark.parametrize("key", ["", "1", "../../x"])
async def test_a_key_must_be_a_uuid(web, key):
    person = await web.person()
    parts = [("csrf", (None, person.csrf)), ("key", (None, key)), ("text", (None, "x"))]
    assert (await person.client.post("/chat/messages", files=parts, headers=JSON)).status_code == 400


MB = 1024 * 1024
UPLOADS = [
    ("a text at the limit", [("a.txt", b"x" * MB)], 202, ""),
    ("a text one byte over", [("a.txt", b"x" * (MB + 1))], 413, "1 MB"),
    ("a PDF may be larger", [("a.pdf", b"%PDF-" + b"x" * (2 * MB))], 202, ""),
    ("a PDF at its limit", [("a.pdf", b"%PDF-" + b"x" * (3 * MB - 5))], 202, ""),
    ("a PDF one byte over", [("a.pdf", b"%PDF-" + b"x" * (3 * MB - 4))], 413, "3 MB"),
    ("a name does not make a PDF", [("a.pdf", b"x" * (2 * MB))], 413, "1 MB"),
    ("ten files", [(f"{n}.txt", b"x") for n in range(10)], 202, ""),
    ("eleven files", [(f"{n}.txt", b"x") for n in range(11)], 413, "10"),
    ("too much together", [(f"{n}.pdf", b"%PDF-" + b"x" * (3 * MB - 5)) for n in range(3)], 413, "8 MB"),
    ("an empty file is a file", [("a.txt", b"")], 202, ""),
]


@pytest.mark.parametrize(("files", "status", "part"), [u[1:] for u in UPLOADS], ids=[u[0] for u in UPLOADS])
async def test_limits_of_an_upload(web, files, status, part):
    """Rule SRC-6: over the limit → 413 with a sentence, and no message; what fits is kept whole."""
    person = await web.person()
    answer = await person.client.post("/chat/messages", files=form(person, "问", files=files), headers=JSON)
    assert answer.status_code == status
    if status == 202:
        (update,) = await updates(web)
        assert [(f["name"], f["size"]) for f in update["files"]] == [(name, len(data)) for name, data in files]
    else:
        assert part in answer.json()["error"]
        assert await updates(web) == []


async def test_a_refused_upload_is_not_kept_in_memory(web):
    """The rest of an oversize body is read and dropped, chunk by chunk."""
    person, seen = await web.person(), 0

    async def body():
        nonlocal seen
        head = f'--B\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{person.csrf}\r\n--B\r\n'
        yield (head + 'Content-Disposition: form-data; name="files"; filename="big.txt"\r\n\r\n').encode()
        for _ in range(7):
            seen += 1
            yield b"x" * MB
        yield b"\r\n--B--\r\n"

    answer = await person.client.post(
        "/chat/messages", content=body(), headers={"Content-Type": "multipart/form-data; boundary=B", **JSON}
    )
    assert answer.status_code == 413
    assert "big.txt" in answer.json()["error"]
    assert seen == 7
    assert web.blobs.puts == 0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"--B\r\nbroken", "multipart/form-data; boundary=B"),
        (b"--B\r\n", "multipart/form-data"),
        (b"{}", "application/json"),
        (b"", ""),
    ],
)
async def test_a_broken_body_is_a_sentence(web, body, kind):
    person = await web.person()
    answer = await person.client.post("/chat/messages", content=body, headers={"Content-Type": kind, **JSON})
    assert answer.status_code == 400
    assert answer.json()["error"] == "没有收完整，请再发一次。"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\a\\b.pdf", "b.pdf"),
        ("a\x07b\u202e.pdf", "ab.pdf"),
        ("x" * 300 + ".pdf", "x" * 180 + "…" + "x" * 15 + ".pdf"),
    ],
)
async def test_file_names_are_names(web, sent, kept):
    person = await web.person()
    head = f'--B\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{person.csrf}\r\n--B\r\nContent-Disposition: form-data; name="key"\r\n\r\n{uuid4()}\r\n'
    body = f'{head}--B\r\nContent-Disposition: form-data; name="files"; filename="{sent}"\r\n\r\nx\r\n--B--\r\n'
    answer = await person.client.post(
        "/chat/messages", content=body.encode(), headers={"Content-Type": "multipart/form-data; boundary=B", **JSON}
    )
    assert answer.status_code == 202
    assert (await updates(web))[0]["files"][0]["name"] == kept


async def test_without_a_script_the_form_leads_back_to_the_chat(web):
    """DESIGN.md 7: an empty file field is no file."""
    person = await web.person()
    page = (await person.client.get("/chat")).text
    key = re.search(r'id="composer".*?name="key" value="([^"]+)"', page, re.DOTALL)
    assert key
    answer = await person.client.post("/chat/messages", files=form(person, "问", key=key[1], files=[("", b"")]))
    assert (answer.status_code, answer.headers["location"]) == (303, "/chat")
    assert (await updates(web))[0]["files"] == []


async def test_a_press_without_a_script_is_a_form(web):
    person = await web.person()
    at = await web.say(person, receipt(view(), "zh"))
    page = (await person.client.get("/chat")).text
    value = re.search(r'name="press" value="([^"]+)"', page)
    assert value
    press = value[1].replace("&#34;", '"')
    assert json.loads(press) == {"verb": "cancel", "args": {"revision": 12}}
    answer = await person.client.post(
        "/chat/press", data={"press": press, "message": str(at), "key": str(uuid4()), "csrf": person.csrf}
    )
    assert answer.headers["location"] == f"/chat#m{at}"
    assert await updates(web) == [{"type": "press", "message_id": at, "verb": "cancel", "args": {"revision": 12}}]


@pytest.mark.parametrize(
    "press",
    [
        "",
        "x",
        "[]",
        '{"verb":"drop","args":{}}',
        '{"verb":"cancel"}',
        '{"verb":"cancel","args":{"revision":"1"}}',
        '{"verb":"cancel","args":{"revision":true}}',
        '{"verb":"claim","args":{"revision":1e400}}',
    ],
)
async def test_an_unknown_press_is_refused(web, press):
    person = await web.person()
    answer = await person.client.post(
        "/chat/press", data={"press": press, "message": "1", "key": str(uuid4()), "csrf": person.csrf}, headers=JSON
    )
    assert answer.status_code in (400, 422)
    assert await updates(web) == []


# ── the stream ──────────────────────────────────────────────────────────────
def events(body: str) -> list[tuple[str, int, dict]]:
    found = []
    for block in body.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":") and ": " in line)
        if "data" in lines:
            found.append((lines.get("event", "message"), int(lines["id"]), json.loads(lines["data"])))
    return found


async def read(web: Face, person: Person, **headers: str) -> list[tuple[str, int, dict]]:
    """Everything there is now: a closed bell ends the stream where it would wait."""
    web.bell.close()
    answer = await person.client.get("/chat/events", params={"cursor": headers.pop("cursor", "0")}, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events(answer.text)


async def test_a_stream_resumes_after_the_last_event(web):
    """Rule RUN-7: Last-Event-ID runs over the chat's own sequence, and goes before the address."""
    person = await web.person()
    ids = [await web.say(person, Outbound("note", f"第 {n} 条")) for n in range(3)]
    assert [(e[2]["id"], e[1]) for e in await read(web, person)] == [(ids[0], 1), (ids[1], 2), (ids[2], 3)]
    assert [e[2]["id"] for e in await read(web, person, **{"Last-Event-ID": "2"})] == [ids[2]]
    assert await read(web, person, cursor="3") == []


async def test_an_edit_is_the_same_message_with_a_new_number(web):
    person = await web.person()
    at = await web.say(person, receipt(view(run_state="QUEUED"), "zh"))
    await web.say(person, receipt(view(), "zh"), message_id=at)
    ((name, seq, data),) = await read(web, person, cursor="1")
    assert (name, seq, data["id"]) == ("message", 2, at)
    assert f'id="m{at}"' in data["html"]
    assert 'data-state="running"' in data["html"]


async def test_delivering_the_same_row_twice_is_one_message(web):
    """Rule CHT-2: the web channel is idempotent."""
    person = await web.person()
    first = await web.say(person, Outbound("note", "一"))
    web.outbox -= 1
    assert await web.say(person, Outbound("note", "一")) == first
    assert len((await thread(web.engine, person.chat_id)).messages) == 1


@pytest.mark.parametrize("cursor", ["999", "5000000"])
async def test_a_cursor_from_elsewhere_gets_a_snapshot(web, cursor):
    """Rule RUN-7: snapshot and new cursor from one read."""
    person = await web.person()
    at = await web.say(person, Outbound("note", "在这里"))
    ((name, seq, data),) = await read(web, person, cursor=cursor)
    assert (name, seq, data["cursor"]) == ("reset", 1, 1)
    assert f'id="m{at}"' in data["html"]


async def test_a_stream_far_behind_gets_a_snapshot(engine):
    made = face(engine, limits=WebLimits(far_behind=2))
    person = await made.person()
    for n in range(3):
        await made.say(person, Outbound("note", str(n)))
    assert [e[0] for e in await read(made, person, cursor="1")] == ["message", "message"]
    assert [e[0] for e in await read(made, person, cursor="0")] == ["reset"]
    await made.close()


async def test_a_waiting_stream_hears_the_bell(web):
    """Two browsers at once: each hears what the other's chat does, none opens a transaction while it waits."""
    person = await web.person()
    visitor = Visitor(person.owner_id, person.chat_id, "zh", ZoneInfo("Asia/Shanghai"), csrf_of(person.token))
    both = [stream(web.deps, visitor, 0) for _ in range(2)]
    for one in both:
        assert (await anext(one)).startswith("retry:")
    waiting = [asyncio.create_task(_next_event(one)) for one in both]
    await asyncio.sleep(0)
    at = await web.say(person, Outbound("note", "到了"))
    for found in await asyncio.wait_for(asyncio.gather(*waiting), timeout=10):
        assert found[0][2]["id"] == at
    for one in both:
        await one.aclose()


async def _next_event(source) -> list[tuple[str, int, dict]]:
    async for part in source:
        if found := events(part):
            return found
    return []


async def test_a_quiet_stream_beats(engine):
    made = face(engine, limits=WebLimits(heartbeat_s=0.01))
    person = await made.person()
    visitor = Visitor(person.owner_id, person.chat_id, "zh", ZoneInfo("Asia/Shanghai"), "")
    source = stream(made.deps, visitor, 0)
    await anext(source)
    assert (await anext(source)).startswith(":")
    await source.aclose()
    await made.close()


async def test_nobody_hears_another_person_s_chat(web):
    one, other = await web.person(), await web.person()
    await web.say(one, Outbound("note", "只给一个人"))
    assert await read(web, other) == []
    assert "只给一个人" not in (await other.client.get("/chat")).text


# ── the page ────────────────────────────────────────────────────────────────
async def test_an_empty_chat_says_what_works_and_what_does_not_yet(web):
    person = await web.person()
    page = (await person.client.get("/chat")).text
    assert "未接入模型：讲稿为原文摘读。" in page
    assert "视频和通知在后面的版本里。" in page


async def test_earlier_messages_come_in_pages(engine):
    made = face(engine, limits=WebLimits(thread_messages=2))
    person = await made.person()
    ids = [await made.say(person, Outbound("note", f"第 {n} 条")) for n in range(5)]
    page = (await person.client.get("/chat")).text
    assert "更早的 3 条" in page
    assert f'href="/chat?before={ids[3]}"' in page
    older = (await person.client.get("/chat/earlier", params={"before": ids[3]})).json()
    assert (older["first"], older["earlier"]) == (ids[1], 1)
    assert "第 1 条" in older["html"]
    assert "第 0 条" not in older["html"]
    still = (await person.client.get("/chat", params={"before": ids[1]})).text
    assert "第 0 条" in still
    await made.close()


HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


async def test_nothing_foreign_becomes_markup(web):
    """Rule EVD-8: file names, titles, questions and quotes are data wherever they are shown."""
    person = await web.person()
    await person.client.post(
        "/chat/messages", files=form(person, HOSTILE, files=[("<img src=x onerror=alert(3)>.txt", b"x")]), headers=JSON
    )
    await web.say(person, receipt(view(title=HOSTILE, name=HOSTILE, question=HOSTILE), "zh"))
    await web.say(person, voice(spoken_view(question=HOSTILE, title=HOSTILE, gaps=(HOSTILE,)), "zh"))
    await web.say(person, Outbound("note", HOSTILE, buttons=(Button(HOSTILE, "cancel", {"revision": 1}),)))
    page = (await person.client.get("/chat")).text
    streamed = "".join(e[2]["html"] for e in await read(web, person))
    for html in (page, streamed):
        assert "<script>alert" not in html
        assert "<img" not in html
        assert html.count("&lt;script&gt;") >= 4


async def test_times_are_the_owner_s(web):
    """Shown in the owner's zone: half past midnight in Shanghai belongs to the next day."""
    person = await web.person()
    at = await web.say(person, Outbound("note", "夜里"))
    async with web.engine.begin() as c:
        await c.execute(text("UPDATE chat_message SET created_at = '2026-11-29T16:30:00Z' WHERE id = :id"), {"id": at})
    page = (await person.client.get("/chat")).text
    assert "11 月 30 日　星期一" in page
    assert ">00:30</time>" in page


PRESSES = [
    '{"verb": [], "args": {}}',
    '{"verb": {}, "args": {}}',
    '{"verb": "claim", "args": {"\\u0000": 1, "revision": 1}}',
    '{"verb": "claim", "args": {"\\ud800": 1, "revision": 1}}',
    '{"verb": "claim", "args": {"revision": true}}',
    '{"verb": "claim", "args": {"revision": 1e400}}',
    '{"verb": "claim", "args": {"revision": 99999999999999999999}}',
    '{"verb": "claim", "args": {"revision": 1, "other": 1}}',
    "[" * 400,
    "null",
]


@pytest.mark.parametrize("sent", PRESSES)
async def test_a_press_that_no_button_makes_is_refused_in_words(web, sent):
    person = await web.person()
    body = {"press": sent, "message": "1", "key": str(uuid4()), "csrf": person.csrf}
    answer = await person.client.post("/chat/press", data=body, headers=JSON)
    assert (answer.status_code, answer.json()) == (400, {"error": "没有收完整，请再发一次。"})
    assert await updates(web) == []


@pytest.mark.parametrize("message", ["0", "-1", "x", "99999999999999999999", ""])
async def test_a_press_on_a_message_that_cannot_be_is_refused_in_words(web, message):
    person = await web.person()
    body = {
        "press": '{"verb": "cancel", "args": {"revision": 1}}',
        "message": message,
        "key": str(uuid4()),
        "csrf": person.csrf,
    }
    answer = await person.client.post("/chat/press", data=body, headers=JSON)
    assert (answer.status_code, answer.json()) == (422, {"error": "没有收完整，请再发一次。"})


async def test_a_boundary_longer_than_any_browsers_is_refused_in_words(web):
    person = await web.person()
    kind = "multipart/form-data; boundary=" + "b" * 5000
    answer = await person.client.post("/chat/messages", content=b"x", headers={**JSON, "Content-Type": kind})
    assert (answer.status_code, answer.json()) == (400, {"error": "没有收完整，请再发一次。"})


async def test_too_much_text_is_told_without_a_file_name(web):
    person = await web.person()
    long = "字" * (WebLimits().max_text_chars * 4 // 3 + 1)
    answer = await person.client.post("/chat/messages", files=form(person, long), headers=JSON)
    assert answer.status_code == 413
    assert "「」" not in answer.json()["error"]
    assert "7 MB" in answer.json()["error"]


async def test_while_the_database_is_away_pages_say_so_and_streams_end(web, database_url):
    """No traceback, no broken page: 503 with a sentence, and a stream that the browser opens again."""
    person = await web.person()
    visitor = Visitor(person.owner_id, person.chat_id, "zh", ZoneInfo("UTC"), person.csrf)
    nowhere = engine_of(database_url.rpartition("@")[0] + "@127.0.0.1:1/earmark")
    web.app.state.deps = replace(web.deps, engine=nowhere)
    answer = await person.client.get("/chat", headers=JSON)
    assert (answer.status_code, answer.json()) == (503, {"error": "这会儿太忙，没有做成。请过几秒再试。"})
    assert [event async for event in stream(web.app.state.deps, visitor, 0)] == ["retry: 2000\n\n"]
    await nowhere.dispose()
