"""The pages in a real browser, on a seeded database: what a person sees, presses, drops and reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.port import Outbound
from bot.screens.claim import claim
from bot.screens.receipt import receipt
from bot.screens.voice import voice
from bot.web.evidence_page import page as evidence_page
from pipeline.domain.source import SourceLimits
from storage.queries.episode.receipt import StageView
from storage.queries.episode.spoken import SpokenView, spoken
from tests.bot.test_screens import DECLINED, FAILED, NEXT, view
from tests.support.browser import CHROMIUM, NO_CHROMIUM, SIZES, chromium, free_port, serving, tab, tone_mp3
from tests.support.spoken import seed_spoken, spoken_view
from tests.support.web import Face, Person, face

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)]

SPEAKING = StageView("speak", "now", part=3, parts=5)


@dataclass
class Room:
    web: Face
    address: str
    browser: Browser
    person: Person

    async def open(self, path: str = "/chat", person: Person | None = None, **options) -> tuple[Page, list[str]]:
        _, page, troubles = await tab(self.browser, self.address, person or self.person, **options)
        await page.goto(self.address + path)
        return page, troubles

    async def episode(self, person: Person | None = None) -> SpokenView:
        who = person or self.person
        mp3 = await self.web.blobs.put(tone_mp3(28), owner_id=who.owner_id)
        seeded = await seed_spoken(
            self.web.engine,
            owner_id=who.owner_id,
            chat_id=who.chat_id,
            view=spoken_view(),
            mp3_key=mp3.key,
            ogg_key=mp3.key,
        )
        return await spoken(self.web.engine, seeded.revision_id, owner_id=who.owner_id)

    async def said(self) -> list[dict]:
        async with self.web.engine.connect() as c:
            return [row[0] for row in await c.execute(text("SELECT payload FROM inbox_update ORDER BY id"))]


@pytest.fixture
async def room(engine: AsyncEngine) -> AsyncIterator[Room]:
    port = free_port()
    web = face(
        engine,
        hosts=frozenset({f"127.0.0.1:{port}", "127.0.0.1:8321"}),
        sources=SourceLimits(max_text_bytes=2 * 1024 * 1024),
    )
    async with serving(web.app, port) as address, chromium() as browser:
        yield Room(web, address, browser, await web.person())
        await web.close()


FLAWS = """() => {
  const seen = e => e.offsetParent !== null && !e.closest('.vh, .skip, [hidden]') && !e.classList.contains('at');
  const all = [...document.querySelectorAll('body *')].filter(seen);
  const box = e => e.getBoundingClientRect();
  const controls = all.filter(e => e.matches('button, a, summary, label.btn, label.icon, textarea, input[type=range]'));
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    small: controls.filter(e => box(e).height < 43.5 || box(e).width < 43.5).map(e => e.outerHTML.slice(0, 120)),
    tiny: all.filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 12.9 && !e.closest('svg')).map(e => e.outerHTML.slice(0, 80)),
    nameless: controls.filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('[aria-hidden]'))).map(e => e.outerHTML.slice(0, 80)),
  };
}"""
CLEAN = {"overflow": 0, "small": [], "tiny": [], "nameless": []}


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_every_page_fits_every_screen(room, lang):
    """DESIGN.md 8: no overflow from 320 px, no target under 44 px, no text under 13 px, no script error; both languages."""
    person, nobody = await room.web.person(language=lang), await room.web.person(language=lang)
    spoken_one = await room.episode(person)
    long = "一个没有空格而且很长很长的文件名" * 6 + ".pdf"
    for out in (
        receipt(view(stages=(*NEXT[:5], SPEAKING, NEXT[6]), name=long), lang),
        receipt(view(question=None, question_by=None, run_state="DEFERRED"), lang),
        receipt(view(run_state="FAILED", error_reason="child.timeout", stages=FAILED), lang),
        receipt(
            view(run_state="FAILED", error_reason="encrypted", title="", stages=(StageView("read", "bad"), *NEXT[1:])),
            lang,
        ),
        receipt(view(revision_state="STOPPED", decline=DECLINED), lang),
        voice(spoken_one, lang),
        claim(spoken_one, 1, lang),
        Outbound("note", "https://example.org/" + "a" * 300),
    ):
        await room.web.say(person, out)
    places = [
        (nobody, "/chat"),
        (person, "/chat"),
        (person, f"/e/{spoken_one.revision_id}"),
        (None, "/signin"),
        (person, "/nothing"),
    ]
    for size in SIZES:
        for dark in (False, True):
            for who, path in places:
                context, page, troubles = await tab(room.browser, room.address, who, size=size, dark=dark)
                await page.goto(room.address + path)
                if path.startswith("/e/"):
                    await page.click("#s3 summary")
                assert await page.evaluate(FLAWS) == CLEAN, (size, dark, path)
                assert [t for t in troubles if "Failed to load resource" not in t] == [], (size, dark, path)
                await context.close()


async def test_the_one_time_address_signs_in_by_itself_and_once(room):
    """Rule SEC-5."""
    address = f"{room.address}/signin?code={await room.web.code(room.person.owner_id)}"
    _, page, _ = await tab(room.browser, room.address)
    await page.goto(address)
    await page.wait_for_url("**/chat")
    await expect(page.locator("#hi")).to_be_visible()
    _, other, _ = await tab(room.browser, room.address)
    await other.goto(address)
    await expect(other.locator("main")).to_contain_text("earmark signin")
    await other.goto(f"{room.address}/chat")
    await expect(other.locator("main")).to_contain_text("先登录")


async def test_a_receipt_is_edited_in_place_and_told_only_when_its_stage_changes(room):
    """Rule RUN-7, DESIGN.md 4: swapped by id, never appended; a percentage alone is not announced."""
    at = await room.web.say(room.person, receipt(view(run_state="QUEUED", stages=NEXT), "zh"))
    page, troubles = await room.open()
    other, _ = await room.open()
    await page.evaluate(
        "() => { window.told = []; new MutationObserver(() => told.push(document.getElementById('announce').textContent))"
        ".observe(document.getElementById('announce'), {childList: true, characterData: true, subtree: true}); }"
    )
    for part in (1, 2, 3):
        stages = (*NEXT[:5], StageView("speak", "now", part=part, parts=5), NEXT[6])
        await room.web.say(room.person, receipt(view(stages=stages), "zh"), message_id=at)
        await expect(page.locator(f"#m{at} progress")).to_have_attribute("value", str(part * 20))
    await expect(other.locator(f"#m{at} progress")).to_have_attribute("value", "60")
    await expect(page.locator("#running")).to_contain_text("60%")
    await room.web.say(room.person, receipt(view(run_state="SUCCEEDED"), "zh"), message_id=at)
    await expect(page.locator(f"#m{at}")).to_have_attribute("data-state", "done")
    assert await page.locator("#thread > li[id]").count() == 1
    assert len(await page.evaluate("told")) == 2
    assert troubles == []


async def test_a_message_is_kept_until_the_server_has_it(room):
    """Nothing is lost: not by a dead server, not by a reload."""
    page, _ = await room.open()

    async def refuse(route: Route) -> None:
        await route.abort()

    await page.route("**/chat/messages", refuse)
    await page.fill("#say", "为什么？")
    await page.press("#say", "Enter")
    await expect(page.locator(".mine .state.bad")).to_contain_text("连不上 Earmark")
    assert await page.input_value("#say") == ""
    await page.reload()
    await expect(page.locator(".mine .state.bad")).to_contain_text("没有发出去")
    await expect(page.locator(".mine .words")).to_have_text("为什么？")
    await page.unroute("**/chat/messages")
    await page.get_by_role("button", name="再发一次").click()
    await expect(page.locator(".mine[id]")).to_have_count(1)
    await expect(page.locator("[data-local]")).to_have_count(0)
    assert [u["text"] for u in await room.said()] == ["为什么？"]
    await page.reload()
    await expect(page.locator(".mine")).to_have_count(1)
    await page.fill("#say", "写到一半")
    await page.reload()
    assert await page.input_value("#say") == "写到一半"


async def test_a_refused_message_can_be_taken_back_with_its_files(room):
    page, _ = await room.open()

    async def too_large(route: Route) -> None:
        await route.fulfill(status=413, json={"error": "这份文件太大。"})

    await page.route("**/chat/messages", too_large)
    await page.set_input_files("#files", [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"abc"}])
    await page.fill("#say", "问")
    await page.press("#say", "Enter")
    await expect(page.locator(".mine .state.bad")).to_contain_text("这份文件太大。")
    await page.get_by_role("button", name="放回输入框").click()
    assert await page.input_value("#say") == "问"
    await expect(page.locator("#chips li")).to_have_count(1)
    await expect(page.locator(".mine")).to_have_count(0)


DROP = """([name, type, size]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(size)], name, { type }));
  for (const kind of ['dragenter', 'dragover']) document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
  const shown = !document.getElementById('drop').hidden;
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
  return [shown, document.getElementById('drop').hidden];
}"""
PASTE = """words => {
  const data = new DataTransfer();
  data.setData('text/plain', words);
  return document.getElementById('say').dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
}"""


async def test_files_are_dropped_and_long_text_is_pasted_as_attachments(room):
    page, _ = await room.open()
    assert await page.evaluate(DROP, ["路灯.pdf", "application/pdf", 3_000_000]) == [True, True]
    await expect(page.locator("#chips li")).to_contain_text("2.9 MB")
    await page.evaluate(DROP, ["大.txt", "text/plain", 2 * 1024 * 1024 + 1])
    await expect(page.locator("#trouble")).to_contain_text("「大.txt」超过 2 MB")
    assert await page.evaluate(PASTE, "短的") is True  # left to the browser
    assert await page.evaluate(PASTE, "长文。" * 100) is False
    await expect(page.locator("#chips li")).to_have_count(2)
    await expect(page.locator("#trouble")).to_be_hidden()
    await page.locator("#chips li").first.get_by_role("button").click()
    await expect(page.locator("#chips li")).to_have_count(1)
    assert await page.input_value("#say") == ""
    await page.fill("#say", "说的是什么？")
    await page.get_by_role("button", name="发送").click()
    await expect(page.locator(".mine[id] .what")).to_contain_text("粘贴的文字")
    (update,) = await room.said()
    assert (update["text"], [f["paste"] for f in update["files"]]) == ("说的是什么？", [True])


async def test_the_enter_that_ends_a_composition_does_not_send(room):
    page, _ = await room.open()
    await page.fill("#say", "ni hao")
    for init in ("{isComposing: true}", "{keyCode: 229}"):
        await page.evaluate(
            f"() => document.getElementById('say').dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter', bubbles: true, cancelable: true, ...{init}}}))"
        )
    await page.press("#say", "Shift+Enter")
    assert await page.locator(".mine").count() == 0
    await page.press("#say", "Enter")
    await expect(page.locator(".mine[id]")).to_have_count(1)


async def test_a_voice_note_plays_seeks_and_changes_speed(room):
    one = await room.episode()
    at = await room.web.say(room.person, voice(one, "zh"))
    page, troubles = await room.open()
    note = page.locator(f"#m{at}")
    await note.get_by_role("button", name="播放").click()
    await page.wait_for_function("() => document.querySelector('#thread audio').currentTime > 0.2")
    await expect(note.get_by_role("button", name="暂停")).to_be_visible()
    assert 27.5 < await page.evaluate("document.querySelector('#thread audio').duration") < 28.5
    await note.get_by_role("slider").fill("20")
    await page.wait_for_function("() => document.querySelector('#thread audio').currentTime >= 20")
    assert await page.locator(f"#m{at} .wave rect.p").count() > 40
    await note.get_by_role("button", name=re.compile("语速")).click()
    assert await page.evaluate("document.querySelector('#thread audio').playbackRate") == 1.25
    assert await page.evaluate("!document.querySelector('#thread audio').paused")
    # an edit of the message does not stop what is playing
    await room.web.say(room.person, voice(one, "en"), message_id=at)
    await expect(note).to_contain_text("Evidence")
    assert await page.evaluate("!document.querySelector('#thread audio').paused")
    assert troubles == []


async def test_a_press_is_sent_once_and_the_pager_turns_in_place(room):
    one = await room.episode()
    at = await room.web.say(room.person, claim(one, 0, "zh"))
    page, _ = await room.open()
    pager = page.locator(f"#m{at} .pager")
    await expect(pager.get_by_role("button", name="上一条依据")).to_be_disabled()
    await pager.get_by_role("button", name="下一条依据").dblclick()
    await expect(page.locator(f"#m{at} .press-note")).to_have_count(1)
    presses = await room.said()
    assert [p["args"] for p in presses] == [{"revision": one.revision_id, "index": 1}]
    await room.web.say(room.person, claim(one, 1, "zh"), message_id=at)
    await expect(pager).to_contain_text("2 / 3")
    await expect(pager.get_by_role("button", name="下一条依据")).to_be_focused()


async def test_a_lost_connection_is_said_and_mended(room):
    """Rule RUN-7: what happened meanwhile arrives by Last-Event-ID, once."""
    await room.web.say(room.person, Outbound("note", "一"))
    page, _ = await room.open()
    await expect(page.locator("#thread > li[id]")).to_have_count(1)
    await room.web.say(room.person, Outbound("note", "二"))
    await expect(page.locator("#thread > li[id]")).to_have_count(2)
    room.web.bell.close()
    await expect(page.locator("#lost")).to_be_visible()
    await room.web.say(room.person, Outbound("note", "三"))
    room.web.bell.closed = False
    await expect(page.locator("#lost")).to_be_hidden(timeout=15_000)
    await expect(page.locator("#thread > li[id]")).to_have_count(3)
    await expect(page.locator("#thread > li[id]").last).to_contain_text("三")


async def test_without_scripts_everything_still_posts(room):
    """DESIGN.md 7."""
    one = await room.episode()
    await room.web.say(room.person, voice(one, "zh"))
    page, _ = await room.open(scripts=False)
    await expect(page.locator("audio.bare")).to_be_visible()
    await page.set_input_files("#files", [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"abc"}])
    await page.fill("#say", "没有脚本也能问吗？")
    await page.get_by_role("button", name="发送").click()
    await expect(page.locator(".mine")).to_contain_text("没有脚本也能问吗？")
    await page.get_by_role("button", name="查看依据").click()
    message, press = await room.said()
    assert [f["name"] for f in message["files"]] == ["a.txt"]
    assert press["verb"] == "claim"
    assert page.url.endswith("#m1")
    await page.goto(f"{room.address}/e/{one.revision_id}")
    await page.locator("#s1 summary").click()
    await expect(page.locator("#s1 .note")).to_be_visible()
    await page.get_by_role("button", name="Switch to English").click()
    await expect(page.locator("#sources h2")).to_have_text("Source")


async def test_the_script_follows_the_sound_and_opens_its_evidence(room):
    one = await room.episode()
    page, troubles = await room.open(f"/e/{one.revision_id}")
    await page.locator("#s3 .said a").click()
    await expect(page.locator("#s3")).to_have_class(re.compile(r"\bon\b"))
    await expect(page.locator("#s1")).to_have_class(re.compile(r"\bpast\b"))
    assert 11.9 < await page.evaluate("audio.currentTime") < 12.1
    await page.locator("body").press("e")
    await expect(page.locator("#s3 .note")).to_be_visible()
    await page.locator("#s4 summary").click()
    await expect(page.locator("#s3 .note")).to_be_hidden()  # one at a time
    await page.locator("body").press("Escape")
    await expect(page.locator("#s4 .note")).to_be_hidden()
    await page.locator("body").press("j")
    assert await page.evaluate("audio.currentTime") < 1
    await page.locator("#s3 summary").click()
    await page.locator("#s3 .cite a").click()
    mark = page.locator(f"#q{one.sentences[3].quotes[0].start}-{one.sentences[3].quotes[0].end} + mark")
    await expect(mark).to_be_in_viewport()
    assert await mark.inner_text() == one.sentences[3].text
    assert await page.evaluate("document.getElementById('stored').textContent") == one.source.text
    await page.get_by_role("button", name="播放").click()
    await page.wait_for_function("() => audio.currentTime > 0.3")
    assert troubles == []


async def test_the_evidence_file_works_from_disk(room, tmp_path):
    """One file, no network: it plays, opens quotes, and asks for nothing."""
    one = await room.episode()
    saved = Path(tmp_path) / "evidence.html"
    await asyncio.to_thread(saved.write_text, evidence_page(one, "zh", tone_mp3(28)), "utf-8")
    context, page, troubles = await tab(room.browser, room.address)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await context.set_offline(True)
    await page.goto(saved.as_uri())
    await page.get_by_role("button", name="播放").click()
    await page.wait_for_function("() => audio.currentTime > 0.2")
    await page.locator("#s3 summary").click()
    await page.locator("#s3 .cite a").click()
    await expect(page.locator("#stored mark").first).to_be_visible()
    assert await page.evaluate("document.getElementById('stored').textContent") == one.source.text
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert troubles == []


async def test_a_page_of_another_origin_cannot_post(room):
    """Rules SEC-2, SEC-5: with the person's own cookie in the browser."""
    at = await room.web.say(room.person, receipt(view(), "zh"))
    page, _ = await room.open()
    other = room.address.replace("127.0.0.1", "localhost")
    body = f"press=%7B%22verb%22%3A%22cancel%22%2C%22args%22%3A%7B%7D%7D&message={at}&key=0f8fad5b-d9cb-469f-a165-70867728950e&csrf={room.person.csrf}"
    await page.route(
        f"{other}/evil",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<form id=f method=post action="{room.address}/chat/press"><input name=x></form>',
        ),
    )
    await page.goto(f"{other}/evil")
    status = await page.evaluate(
        "async ([to, body]) => { try { return (await fetch(to, {method: 'POST', body, credentials: 'include', mode: 'no-cors', headers: {'Content-Type': 'application/x-www-form-urlencoded'}})).type } catch (e) { return String(e) } }",
        [f"{room.address}/chat/press", body],
    )
    assert status in ("opaque", "TypeError: Failed to fetch")
    async with page.expect_navigation():
        await page.evaluate("document.getElementById('f').submit()")
    await expect(page.locator("body")).to_contain_text("来自别的网站")
    assert await room.said() == []


async def test_the_chat_is_usable_from_the_keyboard(room):
    """DESIGN.md 6: the skip link first, then in reading order, each with a visible ring."""
    await room.web.say(room.person, receipt(view(), "zh"))
    page, _ = await room.open()
    names = []
    for _ in range(8):
        await page.keyboard.press("Tab")
        names.append(
            await page.evaluate(
                "(() => { const e = document.activeElement, s = getComputedStyle(e.id === 'files' ? e.nextElementSibling : e.id === 'say' ? e.parentElement : e);"
                " return [e.innerText?.trim() || e.getAttribute('aria-label') || e.id, s.outlineStyle !== 'none'] })()"
            )
        )
    assert [name for name, _ in names] == [
        "跳到正文",
        "Earmark",
        "对话",
        "EN",
        "取消",
        "改问题",
        "添加文件",
        "链接、文件或正文，附一个问题",
    ]
    assert all(ring for _, ring in names)
