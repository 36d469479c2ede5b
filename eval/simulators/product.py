"""The product as its user starts it: a process, an address, a browser's requests."""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"(http://[^\s]+)/signin\?code=(\S+)")


@dataclass
class Product:
    """One running ``earmark up``."""

    process: asyncio.subprocess.Process
    base: str
    code: str
    output: list[str] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    async def killed(self, timeout_s: float = 60) -> int:
        """Wait until the process is gone; its return code (-9 for a crash point)."""
        return await asyncio.wait_for(self.process.wait(), timeout_s)


@asynccontextmanager
async def product(data: Path, *, port: int = 0, **settings: str) -> AsyncIterator[Product]:
    """Start it on ``port`` (0: any free one) with tones for speech, unless told otherwise; stop it by its pid."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "up",
        "--data",
        str(data),
        "--port",
        str(port),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(settings),
        cwd=data.parent,
    )
    lines: list[str] = []
    if process.stdout is None:
        raise RuntimeError("the process has no output to read")
    async with asyncio.timeout(60):
        while True:
            line = (await process.stdout.readline()).decode()
            lines.append(line)
            if found := ADDRESS.search(line):
                break
            if not line:
                raise RuntimeError(f"earmark up ended with {await process.wait()}: {''.join(lines)}")
    drain = asyncio.create_task(_drain(process.stdout, lines))
    try:
        yield Product(process, found[1], found[2], lines)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), 30)
            except TimeoutError:
                process.kill()
                await process.wait()
        await drain


@asynccontextmanager
async def worker(data: Path, **settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker beside a running product, on the same folder; ended by its pid, frozen or not."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "eval.simulators.worker",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment({"DATA_DIR": str(data), **settings}),
        cwd=data.parent,
    )
    if process.stdout is None:
        raise RuntimeError("the process has no output to read")
    lines = [""]
    async with asyncio.timeout(60):
        while lines[-1] != "working\n":
            lines.append((await process.stdout.readline()).decode())
            if not lines[-1]:
                raise RuntimeError(f"the worker ended: {''.join(lines)}")
    drain = asyncio.create_task(_drain(process.stdout, lines))
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await drain


def _environment(settings: dict[str, str]) -> dict[str, str]:
    return {
        **os.environ,
        "SPEECH_FAKE": "1",
        "LEASE_S": "3",
        "HEARTBEAT_S": "1",
        "PYTHONPATH": str(ROOT),
        **settings,
    }


async def _drain(stream: asyncio.StreamReader, lines: list[str]) -> None:
    while line := await stream.readline():
        lines.append(line.decode())


@dataclass
class Visitor:
    """A signed-in browser without its screen."""

    client: httpx.AsyncClient
    csrf: str

    async def send(self, text: str, *files: tuple[str, bytes], key: str | None = None) -> httpx.Response:
        parts = [("files", (name, data, "application/octet-stream")) for name, data in files]
        return await self.client.post(
            "/chat/messages",
            data={"text": text, "key": key or str(uuid.uuid4()), "csrf": self.csrf},
            files=parts or [("none", ("", b""))],
        )

    async def press(self, verb: str, message: int, **args: int) -> httpx.Response:
        body = {
            "press": json.dumps({"verb": verb, "args": args}),
            "message": str(message),
            "key": str(uuid.uuid4()),
            "csrf": self.csrf,
        }
        return await self.client.post("/chat/press", data=body)


@asynccontextmanager
async def visitor(running: Product) -> AsyncIterator[Visitor]:
    """Sign in by the one-time address and read the page's own token."""
    headers = {"Origin": running.base}
    async with httpx.AsyncClient(base_url=running.base, headers=headers, follow_redirects=True, timeout=30) as client:
        page = await client.get("/signin", params={"code": running.code})
        page.raise_for_status()
        await client.post("/signin", data={"code": running.code})
        chat = (await client.get("/chat")).text
        token = re.search(r'name="csrf" value="([^"]+)"', chat)
        if token is None:
            raise RuntimeError(f"not signed in: {chat[:500]}")
        yield Visitor(client, html.unescape(token[1]))


async def until(ask: Callable[[], Awaitable[Any]], *, timeout_s: float = 60, every_s: float = 0.1) -> Any:
    """Ask again until the answer is true; the last answer."""
    async with asyncio.timeout(timeout_s):
        while not (answer := await ask()):
            await asyncio.sleep(every_s)
    return answer
