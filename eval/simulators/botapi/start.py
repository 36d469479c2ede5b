"""Ways to have a simulator: in this process, or in one of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.server import Server
from eval.simulators.botapi.simulator import Simulator
from eval.simulators.botapi.telegram import Telegram


@asynccontextmanager
async def simulated_botapi(clock: Clock | None = None) -> AsyncIterator[Telegram]:
    """Serve in this loop; without a clock, in real time."""
    server = Server(Simulator(clock or Clock()))
    telegram = Telegram(await server.start(), server.api.token)
    try:
        yield telegram
    finally:
        await telegram.close()
        await server.stop()


@asynccontextmanager
async def botapi_process(*, port: int = 0, speed: float = 1.0) -> AsyncIterator[Telegram]:
    """Serve in a process that ends when this one lets go of it, however this one ends."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "eval.simulators.botapi", "--port", str(port), "--speed", str(speed)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    telegram = Telegram((await process.stdout.readline()).decode().strip())
    try:
        yield telegram
    finally:
        await telegram.close()
        process.stdin.close()
        await process.wait()
