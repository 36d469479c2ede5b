"""The least a bot can do, for a bench to compare with: aiogram alone, no database, every message said back."""

from __future__ import annotations

import argparse
import asyncio

from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.types import Message


async def serve(base: str, token: str) -> None:
    dispatcher = Dispatcher()

    @dispatcher.message()
    async def echo(message: Message) -> None:
        await message.answer(message.text or "?")

    session = AiohttpSession(api=TelegramAPIServer.from_base(base))
    await dispatcher.start_polling(Bot(token, session=session), handle_signals=False, polling_timeout=25)


def main() -> None:
    parser = argparse.ArgumentParser(prog="eval.simulators.echo_bot")
    parser.add_argument("base")
    parser.add_argument("token")
    given = parser.parse_args()
    asyncio.run(serve(given.base, given.token))


if __name__ == "__main__":
    main()
