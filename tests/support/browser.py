"""A real Chromium on the real pages, over loopback. Skipped where there is no Chromium."""

from __future__ import annotations

import asyncio
import io
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import av
import numpy as np
import uvicorn
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from bot.web.session import COOKIE
from tests.support.web import Person

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NO_CHROMIUM = "no Chromium on this machine: apt-get install chromium fonts-noto-cjk"
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--autoplay-policy=no-user-gesture-required",
    "--mute-audio",
]
SIZES = {
    "phone": {"width": 390, "height": 844},
    "narrow": {"width": 320, "height": 640},
    "desk": {"width": 1280, "height": 900},
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def serving(app: Any, port: int) -> AsyncIterator[str]:
    """``app`` under uvicorn in this loop; its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", ws="none", lifespan="off")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[method-assign]
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn gives no event for it
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        server.force_exit = True
        await running


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


async def tab(
    browser: Browser,
    address: str,
    person: Person | None = None,
    *,
    size: str = "desk",
    dark: bool = False,
    scripts: bool = True,
    reduced: bool = True,
) -> tuple[BrowserContext, Page, list[str]]:
    """A page in a context of its own, and the list its script errors and refused requests are written to."""
    context = await browser.new_context(
        viewport=SIZES[size],  # type: ignore[arg-type]
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
        reduced_motion="reduce" if reduced else "no-preference",
        locale="zh-CN",
        has_touch=size != "desk",
    )  # fmt: skip
    if person is not None:
        await context.add_cookies([{"name": COOKIE, "value": person.token, "url": address}])
    page = await context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda line: troubles.append(line.text) if line.type == "error" else None)
    return context, page, troubles


def tone_mp3(seconds: float) -> bytes:
    """A quiet tone, so that a player has something real to play."""
    rate, out = 24_000, io.BytesIO()
    samples = (np.sin(np.arange(int(rate * seconds)) * 2 * np.pi * 220 / rate) * 3000).astype(np.int16)
    with av.open(out, "w", format="mp3") as container:
        stream = container.add_stream("libmp3lame", rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
        frame.sample_rate = rate
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return out.getvalue()
