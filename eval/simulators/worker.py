"""A worker as a process of its own, as on a second machine: ``python -m eval.simulators.worker``.

It opens the same house as ``earmark up`` (data folder and settings from the environment), says ``working`` on its
output, and works until it is told to stop.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys

from bot.wiring import loop_of
from pipeline.settings import Settings
from pipeline.wiring import open_house


async def work() -> None:
    settings = Settings()
    async with open_house(settings) as house:
        loop = loop_of(house)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, loop.stopping.set)
        print("working", flush=True)
        await loop.run(concurrency=settings.worker_concurrency or 1)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout)
    asyncio.run(work())
