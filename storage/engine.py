"""URL → engine. The pool is small: one process, short transactions."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


def engine_of(url: str, *, pool_size: int = 8, max_overflow: int = 8, patience_s: float = 30.0) -> AsyncEngine:
    """An asyncpg engine; a connection that died with its server is replaced when it is next used.

    Who finds all connections taken waits ``patience_s`` for one, then gets Contention.
    """
    return create_async_engine(
        asyncpg_url(url),
        pool_size=pool_size,
        max_overflow=max_overflow,
        pool_timeout=patience_s,
        pool_pre_ping=True,
        connect_args={"timeout": 10},
    )


def asyncpg_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgresql", "postgres", "postgresql+asyncpg"):
        raise ValueError(f"DATABASE_URL must start with postgresql://, not {scheme}://")
    return f"postgresql+asyncpg://{rest}"
