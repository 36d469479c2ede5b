"""One chat process on Telegram, made to be killed: ``python -m eval.simulators.burst_bot`` with what ``main`` lists.

Poller, door, inbox, handlers, screens and gateway are the product's; the parser is the shipped fake, and there is no
worker. Due times and pace go by a clock that runs ``speed`` times as fast as the simulator's does. What is not scaled:
the lease (the database's clock), the rests of the loops and the time that a request takes.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from bot import inbox
from bot.channels.telegram.channel import TelegramChannel
from bot.channels.telegram.connect import connected
from bot.channels.telegram.door import CHANNEL, Door
from bot.channels.telegram.poll import Poller
from bot.gateway import Gateway
from bot.handlers.context import Context
from bot.screens.render import Renderer
from bot.telegram import IDLE_S, LANES
from pipeline.commands.episode import Asking
from pipeline.domain.sending import WEB_PACE
from pipeline.domain.source import SourceLimits
from pipeline.providers.parse_fake import FakeParser
from storage.blobs import FolderBlobs
from storage.engine import engine_of
from storage.listen import Listener
from storage.transactions.owner.first_owner import first_owner
from storage.tx import transaction

LEASE_S = 2.0  # of the database's clock: who is started after a kill waits as long


@dataclass(frozen=True)
class ScaledClock:
    """``speed`` seconds a second since ``epoch_s`` (Unix): the same for every process that is given the two."""

    epoch_s: float
    speed: float

    def now(self) -> datetime:
        real = time.time()  # noqa: TID251 - a process of its own has a clock of its own
        return datetime.fromtimestamp(self.epoch_s + (real - self.epoch_s) * self.speed, UTC)


@dataclass(frozen=True)
class Place:
    """Where the process works and for whom. ``people``: ids of those who may ask."""

    url: str
    folder: Path
    base: str
    token: str
    people: frozenset[int]


class TimedDoor(Door):
    """The product's door, which also notes when an update may be acknowledged: its row is committed."""

    times: TextIO

    async def take(self, raw: Any) -> None:
        await super().take(raw)
        now = time.time()  # noqa: TID251 - a bench measures the machine's own time
        print(raw["update_id"], now, file=self.times, flush=True)


async def serve(
    place: Place,
    clock: ScaledClock,
    *,
    stopping: asyncio.Event,
    pace_off: bool = False,
    times: TextIO | None = None,
) -> None:
    """Poll, handle and send until ``stopping``.

    Args:
        pace_off: as fast as it goes; for a bench, as is ``times``.
        times: takes a line per stored update: its id, and Unix seconds.
    """
    engine, wake = engine_of(place.url), Listener(place.url)
    wake.start()
    blobs = FolderBlobs(place.folder)
    context = Context(engine, blobs, clock, Asking(120.0, {}), SourceLimits(), FakeParser())
    try:
        async with connected(place.token, api_base=place.base) as connection, asyncio.TaskGroup() as group:
            async with transaction(engine) as tx:
                owner = await first_owner(tx, language="zh")
            door = (TimedDoor if times else Door)(engine, await connection.me(place.people), owner, clock)
            if isinstance(door, TimedDoor) and times:
                door.times = times
            await door.begin()
            channel = TelegramChannel(connection.bot, blobs)
            gateway = Gateway(
                engine,
                Unpaced(connection.bot, blobs) if pace_off else channel,
                Renderer(engine),
                clock=clock,
                wake=wake,
                crash=lambda point: None,
                lanes=LANES,
                lease_s=LEASE_S,
                idle_s=IDLE_S / clock.speed,
            )
            group.create_task(Poller(door, connection.client, connection.updates_address).serve(stopping))
            group.create_task(inbox.serve(context, wake, [CHANNEL], stopping))
            group.create_task(gateway.serve(stopping))
            await stopping.wait()
            wake.release()
    finally:
        await wake.close()
        await engine.dispose()


class Unpaced(TelegramChannel):
    """The product's channel to a messenger without limits."""

    pace = WEB_PACE


def main() -> None:
    parser = argparse.ArgumentParser(prog="eval.simulators.burst_bot")
    for name in ("url", "folder", "base", "token", "people"):
        parser.add_argument(name)
    parser.add_argument("--epoch", type=float, required=True)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--pace-off", action="store_true")
    parser.add_argument("--times", type=argparse.FileType("w"))
    given = parser.parse_args()
    people = frozenset(int(one) for one in given.people.split(","))
    place = Place(given.url, Path(given.folder), given.base, given.token, people)
    clock = ScaledClock(given.epoch, given.speed)
    asyncio.run(serve(place, clock, stopping=asyncio.Event(), pace_off=given.pace_off, times=given.times))


if __name__ == "__main__":
    main()
