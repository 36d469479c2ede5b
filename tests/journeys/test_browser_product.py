"""The whole product in a real browser: drop a PDF, ask, watch, hear, look it up; cancel, ask again, do again.

Speech is tones (the flow is what is tested here); everything else is what ``earmark up`` runs.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.browser import CHROMIUM, NO_CHROMIUM, chromium, tab
from tests.support.product import Product, product

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)]

SECTIONS = (
    ("做法", "村里今年在三块田里试种晚稻，每块田都是两亩。第一块田按老办法灌水，第二块田每隔六天灌一次，第三块田等叶子卷起来才灌。三块田用的是同一批秧苗，插秧的日子也相同。负责记录的人每天傍晚量一次水深，写在门口的木板上。"),
    ("结果", "收割的时候，第一块田收了一千零四十斤，第二块田收了一千零二十斤，第三块田收了八百六十斤。第二块田用的水大约是第一块田的六成。负责的人说，隔六天灌一次的办法可以推广，因为它省下四成水，收成只少了二十斤。第三块田的办法不能推广，叶子卷起来再灌已经晚了。"),
    ("没有弄清的事", "他们没有测土壤里的盐分，也没有算人工。明年打算把试验搬到坡地上再做一次。"),
)  # fmt: skip
QUESTION = "隔六天灌一次水，收成少了多少？"
WAIT_MS = 60_000


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Product]:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o001 == 0 and str(folder).startswith("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o011)
    async with product(tmp_path / "data") as made:
        yield made


async def printed(browser: Browser) -> bytes:
    """A PDF as a person would have one: a page that a browser printed."""
    page = await browser.new_page()
    body = "".join(f"<h2>{title}</h2><p>{words}</p>" for title, words in SECTIONS)
    await page.set_content(f"<title>试验田里的晚稻</title><h1>试验田里的晚稻</h1>{body}")
    data = await page.pdf()
    await page.close()
    return data


async def signed_in(browser: Browser, running: Product, **options) -> tuple[Page, list[str]]:
    _, page, troubles = await tab(browser, running.base, **options)
    await page.goto(f"{running.base}/signin?code={running.code}")
    await page.wait_for_url("**/chat")
    return page, troubles


async def send(page: Page, question: str, name: str, data: bytes, mime: str = "application/pdf") -> None:
    await page.set_input_files("#files", [{"name": name, "mimeType": mime, "buffer": data}])
    await page.fill("#say", question)
    await page.press("#say", "Enter")


async def test_from_a_dropped_pdf_to_the_words_it_rests_on(running):
    """Issue 2: sign in, drop, ask, watch the edits, reload in the middle, play, open the evidence, switch the language."""
    async with chromium() as browser:
        pdf = await printed(browser)
        page, troubles = await signed_in(browser, running)
        await page.evaluate(
            "() => { window.seen = new Set(); new MutationObserver(() => { for (const li of document.querySelectorAll('[data-stage]')) seen.add(li.dataset.stage); })"
            ".observe(document.getElementById('thread'), {childList: true, subtree: true}); }"
        )
        await send(page, QUESTION, "晚稻.pdf", pdf)
        receipt = page.locator("li[data-kind=receipt]")
        await expect(receipt).to_have_count(1)
        seen = await page.evaluate("[...seen]")
        await page.reload()  # in the middle of it
        await expect(receipt).to_have_count(1)
        await expect(page.locator(".mine")).to_contain_text(QUESTION)
        await expect(receipt).to_have_attribute("data-state", "done", timeout=WAIT_MS)
        assert seen, "the first state was seen before the reload"
        note = page.locator("li[data-kind=voice]")
        await expect(note).to_have_count(1)
        await note.get_by_role("button", name="播放").click()
        await page.wait_for_function("() => document.querySelector('#thread audio').currentTime > 0.3")
        assert 10 < await page.evaluate("document.querySelector('#thread audio').duration") <= 300

        await note.get_by_role("button", name="查看依据").click()
        claim = page.locator("li[data-kind=claim]")
        await expect(claim).to_contain_text("原文存在")
        said = await claim.locator(".claim").inner_text()
        assert said in "".join(words for _, words in SECTIONS)
        first = await claim.locator(".pager").inner_text()
        await claim.get_by_role("button", name="下一条依据").click()
        await expect(claim.locator(".pager")).not_to_have_text(first)
        await expect(claim).to_have_count(1)
        await note.get_by_role("button", name="文字版").click()
        await expect(page.locator("li[data-kind=transcript] .said-list li").nth(2)).to_be_visible()

        await note.get_by_role("link", name="依据页").click()
        await page.wait_for_url("**/e/*")
        await page.locator(".line .ev summary").first.click()
        await page.locator(".line .ev[open] .cite a").first.click()
        await expect(page.locator("#stored mark").first).to_be_visible()
        await page.get_by_role("button", name="Switch to English").click()
        await expect(page.locator("#sources h2")).to_have_text("Source")
        await page.get_by_role("link", name="Chat", exact=True).first.click()
        await expect(page.locator("li[data-kind=voice]")).to_contain_text("Evidence", timeout=WAIT_MS)
        assert troubles == []


async def test_cancel_ask_again_and_do_again(running):
    async with chromium() as browser:
        pdf = await printed(browser)
        page, _ = await signed_in(browser, running, size="phone", dark=True)
        await send(page, "", "晚稻.pdf", pdf)
        receipts = page.locator("li[data-kind=receipt]")
        await expect(receipts).to_have_attribute("data-state", "asking")
        await expect(receipts).to_contain_text("两分钟")
        await receipts.get_by_role("button", name="取消").click()
        await expect(receipts).to_have_attribute("data-state", "cancelled")
        await receipts.get_by_role("button", name="改问题").click()
        await expect(page.locator("li[data-kind=note]").last).to_contain_text("请写一句话")
        await page.fill("#say", QUESTION)
        await page.press("#say", "Enter")
        await expect(receipts.last).to_have_attribute("data-state", "done", timeout=WAIT_MS)
        await expect(receipts.first).to_have_attribute("data-state", "superseded")
        await expect(receipts.last).to_contain_text(QUESTION)
        await page.locator("li[data-kind=voice]").get_by_role("button", name="改问题").click()
        await expect(page.locator("li[data-kind=note]")).to_have_count(2)  # a person reads the question first
        await page.fill("#say", "月球上的潜水艇用什么燃料？")
        await page.press("#say", "Enter")
        await expect(receipts.last).to_have_attribute("data-state", "declined", timeout=WAIT_MS)
        await expect(page.locator("li[data-kind=voice]")).to_have_count(1)
        await receipts.last.get_by_role("button", name="讲要点").click()
        await expect(page.locator("li[data-kind=voice]")).to_have_count(2, timeout=WAIT_MS)


async def test_what_was_cancelled_half_way_is_done_again(running):
    """Rule RUN-4: 重试 by a person; a text long enough to be half-way through."""
    lines = [
        f"第{n}块田的水深是{n % 90 + 10}毫米，记录的人在第{n // 7 + 1}天傍晚量了{n % 5 + 2}次，写在第{n}块木板上。"
        for n in range(60)
    ]
    async with chromium() as browser:
        page, _ = await signed_in(browser, running)
        await send(page, "第四十块田的水深是多少？", "水深.txt", "\n\n".join(lines).encode(), "text/plain")
        receipt = page.locator("li[data-kind=receipt]").last
        await receipt.get_by_role("button", name="取消").click()
        await expect(receipt).to_have_attribute("data-state", "cancelled", timeout=WAIT_MS)
        await expect(page.locator("li[data-kind=voice]")).to_have_count(0)
        await receipt.get_by_role("button", name="重试").click()
        await expect(page.locator("li[data-kind=receipt]").last).to_have_attribute(
            "data-state", re.compile("done|declined"), timeout=2 * WAIT_MS
        )


BAD = [
    ("an empty file", "空.txt", b"", "是空的"),
    ("a locked PDF that is none", "坏.pdf", b"%PDF-1.7 nothing in it", "打不开"),
    ("a picture", "图.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "打不开"),
    ("a film", "片.png", b"\0\0\0\x20ftypisom" + bytes(64), "读不了视频"),
]


async def test_bad_input_is_a_sentence_with_a_way_out(running):
    """Issue 2, bad input."""
    async with chromium() as browser:
        page, _ = await signed_in(browser, running)
        for _, name, data, part in BAD:
            await send(page, "说的是什么？", name, data, "application/octet-stream")
            await expect(page.locator("li.it").last).to_contain_text(re.compile(part), timeout=WAIT_MS)
        for words, part in (("http://127.0.0.1/a", "不在公开的互联网上"), ("你好", "不够当作资料")):
            await page.fill("#say", words)
            await page.press("#say", "Enter")
            await expect(page.locator("li.it").last).to_contain_text(part)
        await expect(page.locator("li.mine[id]")).to_have_count(len(BAD) + 2)
