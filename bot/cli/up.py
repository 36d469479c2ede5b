"""``up``, ``migrate`` and ``signin``."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import signal
from pathlib import Path

import typer

from bot.secrets import log_without
from bot.texts import terminal as words
from bot.texts.words import Lang, lang_of
from bot.wiring import one_time_address, running
from pipeline.domain.errors import ProductError
from pipeline.settings import Settings
from pipeline.wiring import open_house

LOCK = "up.lock"
ADDRESS = "address"  # file in the data folder: where the running ``up`` serves


def up(settings: Settings) -> int:
    log_without(settings.secrets())
    return _reported(_serve(settings))


async def _serve(settings: Settings) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    lang = lang_of(settings.default_language)
    with contextlib.ExitStack() as held:
        if not await asyncio.to_thread(_held, settings.data_dir, held):
            base = await asyncio.to_thread(_base, settings.data_dir)
            typer.echo(words.ALREADY_RUNNING(lang, where=f" {base}" if base else ""), err=True)
            return 1
        return await _serve_alone(settings, stopping, lang)


async def _serve_alone(settings: Settings, stopping: asyncio.Event, lang: Lang) -> int:
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


def _held(data_dir: Path, held: contextlib.ExitStack) -> bool:
    """Take this folder's lock for as long as ``held`` lives; False when another ``up`` has it.

    The kernel gives it up with the process, so a killed ``up`` never has to be cleaned up after. Two of them would be
    two senders of one channel, and the second to end would take the first one's address file away.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    lock = held.enter_context((data_dir / LOCK).open("w"))
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _runs(data_dir: Path) -> bool:
    """Whether some ``up`` holds the folder: an address file may have outlived a killed one."""
    with contextlib.ExitStack() as held:
        return not _held(data_dir, held)


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
        if base is None or not await asyncio.to_thread(_runs, settings.data_dir):
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
