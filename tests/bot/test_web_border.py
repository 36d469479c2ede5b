"""Who may come in: sign-in, hosts, origins, forms, owners (rules SEC-2, SEC-5)."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import text

from bot.web.session import COOKIE
from storage.queries.chat.thread import thread
from tests.support.web import HOST, ORIGIN, Face, face

PRESS = '{"verb":"cancel","args":{"revision":1}}'


async def rows(web: Face, table: str) -> int:
    async with web.engine.connect() as c:
        return int((await c.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one())


async def test_a_code_opens_one_session_and_only_one(web):
    """Rule SEC-5: the printed address works once; opening it (a preview does) spends nothing."""
    person, client = await web.person(), web.client()
    code = await web.code(person.owner_id)
    for _ in range(2):
        page = await client.get("/signin", params={"code": code})
        assert page.status_code == 200
        assert code in page.text
    first = await client.post("/signin", data={"code": code})
    assert first.status_code == 303
    cookie = first.headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie
    assert (await client.get("/chat")).status_code == 200
    again = await web.client().post("/signin", data={"code": code})
    assert again.status_code == 403
    assert "earmark signin" in again.text
    assert "set-cookie" not in again.headers


async def test_only_the_hash_of_a_session_is_kept(web):
    person, client = await web.person(), web.client()
    answer = await client.post("/signin", data={"code": await web.code(person.owner_id)})
    token = answer.cookies[COOKIE]
    async with web.engine.connect() as c:
        kept = {row[0] for row in await c.execute(text("SELECT token_sha256 FROM web_session"))}
    assert token not in kept
    assert len(token) >= 43  # 32 bytes in base64url


async def test_an_expired_code_is_refused(web):
    person = await web.person()
    code = await web.code(person.owner_id)
    web.clock.move(timedelta(minutes=11))
    assert (await web.client().post("/signin", data={"code": code})).status_code == 403


async def test_a_session_ends(web):
    person = await web.person()
    assert (await person.client.get("/chat")).status_code == 200
    web.clock.move(timedelta(days=2))
    answer = await person.client.get("/chat", headers={"Accept": "application/json"})
    assert answer.status_code == 401
    assert "earmark signin" in answer.json()["error"]


PATHS = [
    "/chat",
    "/chat/events",
    "/chat/earlier?before=9",
    "/chat/session",
    "/media/1.mp3",
    "/e/1",
    "/e/1/evidence.html",
    "/e/1/transcript.vtt",
]


@pytest.mark.parametrize("path", PATHS)
async def test_nothing_is_shown_without_a_session(web, path):
    assert (await web.client().get(path)).status_code == 401


@pytest.mark.parametrize("path", ["/chat/messages", "/chat/press", "/language"])
async def test_nothing_is_taken_without_a_session(web, path):
    assert (await web.client().post(path, data={"key": "x"})).status_code == 401


async def test_health_and_styles_need_no_session(web):
    client = web.client()
    assert (await client.get("/healthz")).text == "ok\n"
    assert (await client.get("/static/tokens.css")).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9999", "", "127.0.0.1:8321.evil.example"])
async def test_a_host_that_is_not_on_the_list_is_refused(web, host):
    """Rule SEC-5: a rebound name does not reach the chat, whatever cookie it brings."""
    person = await web.person()
    answer = await person.client.get("/chat", headers={"Host": host})
    assert answer.status_code == 400
    assert "earmark up" in answer.text


ORIGINS = [
    ("foreign", {"Origin": "http://evil.example"}, 403),
    ("null, as from a sandboxed frame", {"Origin": "null"}, 403),
    ("same host, other port", {"Origin": "http://127.0.0.1:1"}, 403),
    ("no origin, other site", {"Origin": "", "Sec-Fetch-Site": "cross-site"}, 403),
    ("neither", {}, 403),
    ("no origin, own page", {"Sec-Fetch-Site": "same-origin"}, 202),
    ("own origin", {"Origin": ORIGIN}, 202),
]


@pytest.mark.parametrize(("headers", "status"), [o[1:] for o in ORIGINS], ids=[o[0] for o in ORIGINS])
async def test_a_write_must_come_from_our_own_page(web, headers, status):
    """Rules SEC-2, SEC-5."""
    person = await web.person()
    del person.client.headers["Origin"]
    sent = {name: value for name, value in headers.items() if value}
    data = {"press": PRESS, "message": "1", "key": str(uuid4()), "csrf": person.csrf}
    answer = await person.client.post("/chat/press", data=data, headers={"Accept": "application/json", **sent})
    assert answer.status_code == status
    assert await rows(web, "inbox_update") == (1 if status == 202 else 0)


@pytest.mark.parametrize("csrf", ["", "0" * 64])
async def test_a_form_without_its_hidden_field_is_refused(web, csrf):
    """Rule SEC-2."""
    person = await web.person()
    data = {"press": PRESS, "message": "1", "key": str(uuid4()), "csrf": csrf}
    assert (await person.client.post("/chat/press", data=data)).status_code == 403
    assert (await person.client.post("/language", data={"lang": "en", "csrf": csrf})).status_code == 403
    files = {"csrf": (None, csrf), "key": (None, str(uuid4())), "text": (None, "hello")}
    assert (await person.client.post("/chat/messages", files=files)).status_code == 403
    assert await rows(web, "inbox_update") == 0


async def test_one_person_s_field_is_no_good_for_another(web):
    one, other = await web.person(), await web.person()
    data = {"press": PRESS, "message": "1", "key": str(uuid4()), "csrf": one.csrf}
    assert (await other.client.post("/chat/press", data=data)).status_code == 403


async def test_every_answer_carries_its_headers(web):
    person = await web.person()
    for path in ("/chat", "/nothing", "/healthz", "/static/chat.js"):
        headers = (await person.client.get(path)).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert (await person.client.get("/chat")).headers["cache-control"] == "no-store"
    refused = await person.client.get("/chat", headers={"Host": "evil.example"})
    assert refused.headers["x-content-type-options"] == "nosniff"


async def test_pages_have_no_inline_script_or_style(web):
    """What the policy forbids must not be needed."""
    person = await web.person()
    page = (await person.client.get("/chat")).text
    assert " style=" not in page
    assert "<style" not in page
    assert "<script>" not in page
    assert " onclick=" not in page


@pytest.mark.parametrize(
    ("back", "to"),
    [("/e/12", "/e/12"), ("//evil.example", "/chat"), ("/\\evil.example", "/chat"), ("https://evil.example", "/chat")],
)
async def test_the_language_is_switched_and_the_way_back_stays_ours(web, back, to):
    person = await web.person()
    answer = await person.client.post("/language", data={"lang": "en", "back": back, "csrf": person.csrf})
    assert answer.status_code == 303
    assert answer.headers["location"] == to
    assert 'lang="en"' in (await person.client.get("/chat")).text
    assert (await thread(web.engine, person.chat_id)).language == "en"


async def test_hosts_are_compared_without_case(engine):
    made = face(engine, hosts=frozenset({"earmark.local:8321"}))
    answer = await made.client().get("/healthz", headers={"Host": "Earmark.Local:8321"})
    assert answer.status_code == 200
    assert HOST not in made.deps.hosts
    await made.close()


HOSTILE_READS = [
    "/e/99999999999999999999",
    "/e/99999999999999999999/evidence.html",
    "/e/99999999999999999999/transcript.vtt",
    "/e/-1",
    "/e/nine",
    "/e/1%00",
    "/media/99999999999999999999.mp3",
    "/media/1.wav",
    "/chat?before=99999999999999999999",
    "/chat?before=0",
    "/chat/earlier?before=99999999999999999999",
    "/chat/events?cursor=99999999999999999999",
]


@pytest.mark.parametrize("path", HOSTILE_READS)
async def test_an_address_nobody_gave_is_a_page_that_is_not_there(web, path):
    """SEC-2: a sentence under 404, for people and for scripts, and no echo of what was sent."""
    person = await web.person()
    for accept in ("text/html", "application/json"):
        answer = await person.client.get(path, headers={"Accept": accept})
        assert answer.status_code == 404
        assert "回到对话" in answer.text
        assert "input" not in answer.text


@pytest.mark.parametrize(
    "origin", ["http://[", "http://[::1", "null", "", "ftp://" + HOST, f"http://a@{HOST}", "http://" + HOST + "/"]
)
async def test_an_origin_that_is_no_origin_is_foreign(web, origin):
    """SEC-5."""
    person = await web.person()
    answer = await person.client.post("/language", data={"lang": "en", "csrf": person.csrf}, headers={"Origin": origin})
    assert answer.status_code == 403


async def test_a_cursor_of_five_thousand_digits_is_no_cursor(web):
    person = await web.person()
    web.bell.close()
    answer = await person.client.get("/chat/events", headers={"Last-Event-ID": "9" * 5000})
    assert answer.status_code == 200
    assert answer.text.startswith("retry:")


async def test_a_hidden_field_that_is_no_text_is_refused(web):
    """SEC-2: another charset can smuggle half a surrogate pair into any field."""
    person = await web.person()
    parts = {"press": "{}", "message": "1", "key": "x", "csrf": "\\ud800"}
    body = (
        "".join(f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in parts.items())
        + "--x--\r\n"
    )
    kind = "multipart/form-data; boundary=x; charset=unicode_escape"
    answer = await person.client.post("/chat/press", content=body.encode(), headers={"Content-Type": kind})
    assert answer.status_code == 422
