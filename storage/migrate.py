"""Bring a database to head, once at a time.

Concurrent ``CREATE EXTENSION IF NOT EXISTS`` fails in most races, and two Alembic runs must never interleave: all of it
happens under one advisory lock.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 0x6561726D  # "earm"
_FOLDER = Path(__file__).parent / "migrations"


def configuration(connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.attributes["connection"] = connection
    return config


async def migrate(engine: AsyncEngine) -> None:
    """Idempotent; waits for another process that is migrating."""
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL lock_timeout = '60s'"))
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        if await _at_head(connection):
            return
        await connection.run_sync(_upgrade)


def _upgrade(connection: Connection) -> None:
    from alembic import command  # half a second to import, and most starts have nothing to migrate

    command.upgrade(configuration(connection), "head")


async def _at_head(connection: AsyncConnection) -> bool:
    """Compare the stamp with the newest file: names begin with the revision and sort by it."""
    newest = max(path.name.partition("_")[0] for path in (_FOLDER / "versions").glob("[0-9]*.py"))
    there = await connection.execute(text("SELECT to_regclass('alembic_version') IS NOT NULL"))
    if not there.scalar_one():
        return False
    return (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar() == newest
