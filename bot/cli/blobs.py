"""``blobs collect``: stored bytes that no row names."""

from __future__ import annotations

import asyncio

import typer

from bot.texts import terminal
from bot.texts.words import lang_of
from pipeline.domain.errors import Contention
from pipeline.settings import Settings
from pipeline.wiring import open_house


def collect(settings: Settings, *, apply: bool) -> int:
    """List what a collection would remove, or remove it. Exit code 4 when the store or the database is away."""
    lang, grace_s = lang_of(settings.default_language), settings.blobs_grace_h * 3600.0

    async def act() -> int:
        async with open_house(settings) as house:
            if apply:
                removed = await house.blobs.collect(grace_s=grace_s)
                typer.echo(terminal.COLLECTED(lang, n=removed))
                return 0
            keys = await house.blobs.unnamed(grace_s=grace_s)
        for key in keys:
            typer.echo(key)
        typer.echo(terminal.WOULD_COLLECT(lang, n=len(keys)), err=True)
        return 0

    try:
        return asyncio.run(act())
    except (OSError, Contention) as error:
        typer.echo(f"{error}", err=True)
        return 4
