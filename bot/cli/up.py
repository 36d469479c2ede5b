"""``up``, ``migrate`` and ``signin``."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path

import typer

from bot.texts import terminal as words
from bot.texts.words import lang_of
from bot.wiring import one_time_address, running
from pipeline.domain.errors import ProductError
from pipeline.settings import Settings
from pipeline.wiring import open_house

ADDRESS = "address"  # file in the data folder: where the running ``up`` serves


def up(settings: Settings) -> int:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    return _reported(_serve(settings))


async def _serve(settings: Settings) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    lang = lang_of(settings.default_language)
    async with running(settings, stopping) as (house, base):
        address = settings.data_dir / ADDRESS
        await asyncio.to_thread(address.write_text, base)
        try:
            typer.echo(words.SERVING(lang, address=await one_time_address(house, base=base)))
            typer.echo(words.STOP_HINT(lang))
            await stopping.wait()
        finally:
            await asyncio.to_thread(address.unlink, missing_ok=True)
    return 0


def migrate_only(settings: Settings) -> int:
    async def act() -> int:
        async with open_house(settings):
            typer.echo(words.MIGRATED(lang_of(settings.default_language)))
        return 0

    return _reported(act())


def signin(settings: Settings) -> int:
    async def act() -> int:
        lang = lang_of(settings.default_language)
        base = await asyncio.to_thread(_base, settings.data_dir)
        if base is None:
            typer.echo(words.NOT_RUNNING(lang), err=True)
            return 1
        async with open_house(settings) as house:
            typer.echo(words.SERVING(lang, address=await one_time_address(house, base=base)))
        return 0

    return _reported(act())


def _base(data_dir: Path) -> str | None:
    try:
        return (data_dir / ADDRESS).read_text().strip()
    except FileNotFoundError:
        return None


def _reported(coroutine: object) -> int:
    """Run it; a named error is told with its remedy instead of a traceback."""
    try:
        return asyncio.run(coroutine)  # type: ignore[arg-type]
    except ProductError as error:
        typer.echo(f"{error}\n{error.remedy}", err=True)
        return 4
    except OSError as error:
        typer.echo(f"{error}", err=True)
        return 4
