"""One embedded PostgreSQL for the session, one migrated template, one clone per test: commits and locks are real."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from storage.embedded import EmbeddedPostgres
from storage.engine import asyncpg_url, engine_of
from storage.migrate import migrate
from tests.support.children import Children
from tests.support.folders import walkable


async def _make_template(server: EmbeddedPostgres) -> None:
    engine = engine_of(server.url())
    await migrate(engine)
    await engine.dispose()


async def _admin(server: EmbeddedPostgres, sql: str) -> None:
    engine = create_async_engine(asyncpg_url(server.url("postgres")), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.execute(text(sql))
    await engine.dispose()


@pytest.fixture(scope="module", autouse=True)
def _no_process_left_behind() -> Iterator[None]:
    """Every module ends what it starts, its shared fixtures included: the next one may count processes or memory."""
    children = Children()
    yield
    assert children.left() == []


@pytest.fixture
def children() -> Children:
    """``children.left()`` is what this test has left behind so far."""
    return Children()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """fsync is off: nothing here kills this server (crash tests start their own)."""
    server = EmbeddedPostgres(walkable(tmp_path_factory.mktemp("postgres")), durable=False)
    server.start()
    asyncio.run(_make_template(server))
    yield server
    server.close()


@pytest.fixture(scope="session")
def counter() -> Iterator[int]:
    return iter(range(1, 1_000_000))


@pytest.fixture
async def database_url(postgres: EmbeddedPostgres, counter: Iterator[int]) -> AsyncIterator[str]:
    """A ``postgresql://`` URL of an empty database at head, dropped afterwards."""
    name = f"test_{next(counter)}"
    await _admin(postgres, f"CREATE DATABASE {name} TEMPLATE earmark")
    yield postgres.url(name)
    await _admin(postgres, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = engine_of(database_url)
    yield engine
    await engine.dispose()
