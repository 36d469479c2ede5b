"""Telegram put together: connection, door, poller or webhook, files, gateway (rules CHT-1, CHT-3)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field
from typing import Any, get_args

from bot.channels.telegram.channel import TelegramChannel
from bot.channels.telegram.connect import Connection, NotConnected, connected
from bot.channels.telegram.door import Door
from bot.channels.telegram.files import Fetcher
from bot.channels.telegram.poll import Poller
from bot.gateway import Gateway
from bot.screens.render import Renderer
from bot.texts.command import COMMANDS
from bot.texts.words import Lang
from bot.web import hooks
from pipeline.domain.errors import Contention
from pipeline.wiring import House

log = logging.getLogger(__name__)
REST_S = 5.0  # between two tries to reach Telegram at the start
FILES_S = 1.0  # between two looks for files that are due
LANES = 4  # one for answers to presses, three for everything else
IDLE_S = 0.25  # a chat is due again a second after its last message


@dataclass
class TelegramService:
    """Everything of one bot. The page and the worker do not wait for it: without Telegram the rest works."""

    house: House
    owner_id: int
    door: Door | None = field(default=None, init=False)

    async def take(self, raw: Any) -> bool:
        """A webhook's update. False: the bot is not connected yet. Raises OSError, Contention."""
        if self.door is None:
            return False
        await self.door.take(raw)
        return True

    async def serve(self, stopping: asyncio.Event) -> None:
        settings = self.house.settings
        if settings.telegram_token is None:
            return
        token = settings.telegram_token.get_secret_value()
        base, local = settings.telegram_api_base, settings.telegram_local
        async with (
            connected(token, api_base=base, local=local) as connection,
            asyncio.TaskGroup() as group,  # one that fails takes the others and the process down
        ):
            group.create_task(self._gateway(connection).serve(stopping), name="telegram gateway")
            group.create_task(self._files(connection, stopping), name="telegram files")
            group.create_task(self._updates(connection, stopping), name="telegram updates")

    def _gateway(self, connection: Connection) -> Gateway:
        house = self.house
        return Gateway(
            house.engine,
            TelegramChannel(connection.bot, house.blobs, public_url=house.settings.public_url),
            Renderer(house.engine),
            clock=house.clock,
            wake=house.listener,
            crash=house.tools.crash,
            lanes=LANES,
            idle_s=IDLE_S,
            language=house.settings.default_language,
        )

    async def _open(self, connection: Connection, stopping: asyncio.Event) -> bool:
        """Learn who the bot is and say how updates shall come. False when the process stops first."""
        settings = self.house.settings
        while not stopping.is_set():
            try:
                me = await connection.me(settings.telegram_people())
                self.door = Door(self.house.engine, me, self.owner_id, self.house.clock)
                await self.door.begin()
                if settings.telegram_webhook_secret is None:
                    await connection.use_polling()
                else:
                    secret = settings.telegram_webhook_secret.get_secret_value()
                    await connection.use_webhook(settings.public_url.rstrip("/") + hooks.PATH, secret)
            except (NotConnected, OSError, Contention) as error:
                why = error if isinstance(error, NotConnected) else type(error).__name__
                log.warning("telegram is not connected yet: %s", why)
                await _rest(stopping, REST_S)
            else:
                return True
        return False

    async def _updates(self, connection: Connection, stopping: asyncio.Event) -> None:
        if await self._open(connection, stopping):
            async with asyncio.TaskGroup() as group:  # nobody's message waits for it, nor does the end
                naming = group.create_task(show_commands(connection, self.house.settings.default_language))
                await self._receive(connection, stopping)
                naming.cancel()

    async def _receive(self, connection: Connection, stopping: asyncio.Event) -> None:
        if self.house.settings.telegram_webhook_secret is not None or self.door is None:
            await stopping.wait()
            return
        await Poller(self.door, connection.client, connection.updates_address).serve(stopping)

    async def _files(self, connection: Connection, stopping: asyncio.Event) -> None:
        house = self.house
        fetcher = Fetcher(house.engine, connection.bot, house.blobs, house.clock, connection.file_limit)
        began = False
        while not stopping.is_set():
            try:
                if not began:
                    await fetcher.begin()
                    began = True
                fetched = await fetcher.fetch_due()
            except (OSError, Contention) as error:
                log.warning("files wait: %s", type(error).__name__)
                fetched = 0
            if not fetched:
                await house.listener.wait(FILES_S)


async def show_commands(connection: Connection, default: Lang) -> None:
    """Name the commands in both languages, ``default`` for clients in any other; without it they work all the same."""
    try:
        for language in ("", *get_args(Lang)):
            said = {name: text(language or default) for name, text in COMMANDS.items()}
            await connection.show_commands(said, language)
    except NotConnected as error:
        log.warning("telegram was not told the commands: %s", error)


async def _rest(stopping: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)
