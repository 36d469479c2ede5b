"""The connection of one bot: who it is, how updates come to it, and what talks to the Bot API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpx
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import PRODUCTION, TelegramAPIServer
from aiogram.exceptions import ClientDecodeError, TelegramAPIError
from aiogram.types import BotCommand

from bot.channels.telegram.inbound import FILE_LIMIT_BYTES, Me
from bot.channels.telegram.wire import ALLOWED_UPDATES

SILENT_S = 20


class NotConnected(Exception):
    """Telegram did not answer as it should; the text holds no secret."""


@contextmanager
def _answered() -> Iterator[None]:
    """Raises NotConnected in place of whatever went wrong: the error's own text may hold the token."""
    try:
        yield
    except (TelegramAPIError, ClientDecodeError) as error:
        raise NotConnected(type(error).__name__) from None


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
        with _answered():
            user = await self.bot.get_me(request_timeout=SILENT_S)
        return Me(user.id, user.username or "", allowed, self.file_limit)

    async def show_commands(self, commands: Mapping[str, str], language: str = "") -> None:
        """The list beside the field, name → description. ``language``: of clients in it; "": of all others.

        Raises NotConnected.
        """
        shown = [BotCommand(command=name, description=said) for name, said in commands.items()]
        with _answered():
            await self.bot.set_my_commands(shown, language_code=language or None, request_timeout=SILENT_S)

    async def use_polling(self) -> None:
        """What waits at Telegram is kept: it will be asked for. Raises NotConnected."""
        with _answered():
            await self.bot.delete_webhook(drop_pending_updates=False, request_timeout=SILENT_S)

    async def use_webhook(self, url: str, secret: str) -> None:
        """Raises NotConnected: also when Telegram refuses the address."""
        with _answered():
            await self.bot.set_webhook(
                url,
                secret_token=secret,
                allowed_updates=list(ALLOWED_UPDATES),
                drop_pending_updates=False,
                request_timeout=SILENT_S,
            )


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
