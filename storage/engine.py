"""URL → engine. The pool is small: one process, short transactions."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

RESTED_S = 1.0  # a connection that rested longer is asked whether it still lives before it is used
LOCK_TIMEOUT = "5s"
# A process that was frozen inside a transaction would hold its rows for as long as it sleeps, and nobody could take
# over its run: no transaction of ours waits for anything but the database.
IDLE_IN_TRANSACTION = "10s"

# The default of 4 is that of turning disks. With it a queue that nobody has counted yet looks cheaper to sort than to
# read in the order of its index, and every claim costs what the whole backlog costs.
PAGE_COST = "1.1"


def engine_of(url: str, *, pool_size: int = 8, max_overflow: int = 8, patience_s: float = 30.0) -> AsyncEngine:
    """An asyncpg engine; a connection that died with its server is replaced when it is next used.

    Who finds all connections taken waits ``patience_s`` for one, then gets Contention.
    """
    engine = create_async_engine(
        asyncpg_url(url),
        pool_size=pool_size,
        max_overflow=max_overflow,
        pool_timeout=patience_s,
        connect_args={
            "timeout": 10,
            "server_settings": {
                "lock_timeout": LOCK_TIMEOUT,
                "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION,
                "random_page_cost": PAGE_COST,
            },
        },
    )
    event.listen(engine.sync_engine, "checkin", _rests)
    event.listen(engine.sync_engine, "checkout", _still_there)
    return engine


def _rests(connection: Any, record: Any) -> None:
    record.info["rests_since"] = time.monotonic()


def _still_there(connection: Any, record: Any, proxy: Any) -> None:
    """Raises DisconnectionError: the pool then gives another. A ping at every use would cost a round trip."""
    since = record.info.get("rests_since")
    if connection.driver_connection.is_closed():
        raise DisconnectionError
    if since is None or time.monotonic() - since < RESTED_S:
        return
    try:
        connection.ping()
    except (DBAPIError, OSError) as error:
        raise DisconnectionError from error


def asyncpg_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgresql", "postgres", "postgresql+asyncpg"):
        raise ValueError(f"DATABASE_URL must start with postgresql://, not {scheme}://")
    return f"postgresql+asyncpg://{rest}"
