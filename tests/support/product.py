"""The running product, as tests and benchmarks share it, and a look at its rows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg

from eval.simulators.product import Product, Visitor, product, until, visitor, worker
from storage.embedded import EmbeddedPostgres

__all__ = ["Product", "Visitor", "database", "product", "until", "visitor", "worker"]


@contextlib.asynccontextmanager
async def database(data: Path) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the server of a product's data folder; the server lives on while this is open."""
    server = EmbeddedPostgres(data / "postgres")
    connection = await asyncpg.connect(await asyncio.to_thread(server.start))
    try:
        yield connection
    finally:
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):  # it may have been killed
            await connection.close()
        await asyncio.to_thread(server.close)
