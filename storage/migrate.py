"""Bring a database to head, once at a time.

Concurrent ``CREATE EXTENSION IF NOT EXISTS`` fails in most races, and two Alembic runs must never interleave: all of it
happens under one advisory lock.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

_LOCK = 0x6561726D  # "earm"


def configuration(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


async def migrate(engine: AsyncEngine) -> None:
    """Idempotent; waits for another process that is migrating."""
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL lock_timeout = '60s'"))
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        await connection.run_sync(lambda sync: command.upgrade(configuration(sync), "head"))
