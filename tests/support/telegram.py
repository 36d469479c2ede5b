"""The bot's Telegram side on a real database and a simulator in a process of its own, as the product wires it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from bot import inbox
from bot.channels.telegram.channel import TelegramChannel
from bot.channels.telegram.connect import Connection, connected
from bot.channels.telegram.door import Door
from bot.channels.telegram.files import Fetcher
from bot.channels.telegram.poll import Poller
from bot.gateway import Gateway
from bot.handlers.context import Context
from bot.screens.render import Renderer
from eval.simulators.botapi.start import botapi_process
from eval.simulators.botapi.telegram import Telegram
from eval.simulators.botapi.users import User
from pipeline.commands.episode import Asking
from pipeline.domain.source import SourceLimits
from pipeline.providers.parse_fake import FakeParser
from storage.transactions.owner.first_owner import chat_of, first_owner
from storage.tx import transaction
from tests.support.blobs import MemoryBlobs
from tests.support.house import MovedClock, Wake


@dataclass
class Line:
    """One bot on its Telegram, with one allowed person, Ann."""

    engine: AsyncEngine
    telegram: Telegram
    connection: Connection
    ann: User
    owner: int
    door: Door
    context: Context
    blobs: Any
    clock: MovedClock
    gateways: list[Gateway] = field(default_factory=list)

    def gateway(self, **options: Any) -> Gateway:
        made = Gateway(
            self.engine,
            TelegramChannel(self.connection.bot, self.blobs),
            Renderer(self.engine),
            clock=self.clock,
            wake=Wake(),
            crash=options.pop("crash", lambda point: None),
            **{"lanes": 4, "idle_s": 0.05, **options},
        )
        self.gateways.append(made)
        return made

    def fetcher(self) -> Fetcher:
        return Fetcher(self.engine, self.connection.bot, self.blobs, self.clock, self.connection.file_limit)

    def poller(self) -> Poller:
        return Poller(self.door, self.connection.client, self.connection.updates_address)

    async def chat(self, external_id: int | None = None) -> int:
        """The chat row of Ann, or of another address."""
        async with transaction(self.engine) as tx:
            return await chat_of(
                tx, owner_id=self.owner, channel="telegram", external_id=str(external_id or self.ann.id)
            )

    @asynccontextmanager
    async def running(self, *, sending: bool = True) -> AsyncIterator[None]:
        """Poller, inbox, files and gateway, until the block ends."""
        stopping = asyncio.Event()
        tasks = [
            asyncio.create_task(self.poller().serve(stopping)),
            asyncio.create_task(inbox.serve(self.context, Wake(), ["telegram"], stopping)),
            asyncio.create_task(self._files(stopping)),
        ]
        if sending:
            tasks.append(asyncio.create_task(self.gateway().serve(stopping)))
        try:
            yield
        finally:
            stopping.set()
            for done in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(done, Exception):
                    raise done

    async def _files(self, stopping: asyncio.Event) -> None:
        fetcher = self.fetcher()
        while not stopping.is_set():
            await fetcher.fetch_due()
            await asyncio.sleep(0.05)


@asynccontextmanager
async def line(engine: AsyncEngine, *, speed: float = 1.0, blobs: Any = None) -> AsyncIterator[Line]:
    async with botapi_process(speed=speed) as telegram:
        ann = await telegram.user("Ann", language_code="zh-hans")
        async with connected(telegram.token, api_base=telegram.base) as connection:
            clock, kept = MovedClock(), blobs or MemoryBlobs()
            async with transaction(engine) as tx:
                owner = await first_owner(tx, language="zh")
            me = await connection.me(frozenset({ann.id}))
            context = Context(engine, kept, clock, Asking(120.0, {}), SourceLimits(), FakeParser())
            door = Door(engine, me, owner, clock)
            yield Line(engine, telegram, connection, ann, owner, door, context, kept, clock)
