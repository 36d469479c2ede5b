"""The connection of one bot: who it is, how updates come to it, and what talks to the Bot API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import PRODUCTION, TelegramAPIServer
from aiogram.exceptions import ClientDecodeError, TelegramAPIError
from aiogram.types import BotCommand

from bot.channels.telegram.inbound import Me
from bot.channels.telegram.wire import ALLOWED_UPDATES

FILE_LIMIT_BYTES = 20 * 1024 * 1024  # of getFile on Telegram's own server
SILENT_S = 20


class NotConnected(Exception):
    """Telegram did not answer as it should; the text holds no secret."""


@dataclass
class Connection:
    """``local``: the Bot API server runs with ``--local``, files of any size lie on its disk."""

    bot: Bot
    client: httpx.AsyncClient
    local: bool

    @property
    def updates_address(self) -> str:
        return self.bot.session.api.api_url(self.bot.token, "getUpdates")

    @property
    def file_limit(self) -> int | None:
        return None if self.local else FILE_LIMIT_BYTES

    async def me(self, allowed: frozenset[int]) -> Me:
        """Raises NotConnected."""
        try:
            user = await self.bot.get_me(request_timeout=SILENT_S)
        except (TelegramAPIError, ClientDecodeError) as error:
            raise NotConnected(type(error).__name__) from None
        return Me(user.id, user.username or "", allowed, self.file_limit)

    async def show_commands(self, commands: Mapping[str, str], language: str = "") -> None:
        """The list beside the field, name → description. ``language``: of clients in it; "": of all others.

        Raises NotConnected.
        """
        shown = [BotCommand(command=name, description=said) for name, said in commands.items()]
        try:
            await self.bot.set_my_commands(shown, language_code=language or None, request_timeout=SILENT_S)
        except (TelegramAPIError, ClientDecodeError) as error:
            raise NotConnected(type(error).__name__) from None

    async def use_polling(self) -> None:
        """What waits at Telegram is kept: it will be asked for. Raises NotConnected."""
        try:
            await self.bot.delete_webhook(drop_pending_updates=False, request_timeout=SILENT_S)
        except (TelegramAPIError, ClientDecodeError) as error:
            raise NotConnected(type(error).__name__) from None

    async def use_webhook(self, url: str, secret: str) -> None:
        """Raises NotConnected: also when Telegram refuses the address."""
        try:
            await self.bot.set_webhook(
                url,
                secret_token=secret,
                allowed_updates=list(ALLOWED_UPDATES),
                drop_pending_updates=False,
                request_timeout=SILENT_S,
            )
        except (TelegramAPIError, ClientDecodeError) as error:
            raise NotConnected(type(error).__name__) from None


@asynccontextmanager
async def connected(token: str, *, api_base: str = "", local: bool = False) -> AsyncIterator[Connection]:
    """``api_base``: another Bot API server than Telegram's own."""
    api = TelegramAPIServer.from_base(api_base, is_local=local) if api_base else PRODUCTION
    session = AiohttpSession(api=api)
    async with httpx.AsyncClient() as client:
        try:
            yield Connection(Bot(token, session=session), client, local)
        finally:
            await session.close()
