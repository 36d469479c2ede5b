"""The only begin and commit. A transaction holds no network, model or file work (rule RUN-5)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from pipeline.domain.errors import LockOrderViolation, MissingRow
from storage.errors import translated
from storage.locks import Lock

WAKE_CHANNEL = "earmark_wake"  # one channel: listeners scan their own due rows


class Tx:
    """One open transaction; hands out locks in order only."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._last: tuple[Lock, int] = (Lock.OWNER_BUDGET, -1)
        self._mine: set[tuple[Lock, int]] = set()

    async def lock(self, kind: Lock, id: int, sql: LiteralString) -> RowMapping:
        """Run ``sql``, a SELECT ... FOR NO KEY UPDATE of the row ``:id``, if its turn in the order has come.

        Raises:
            LockOrderViolation: a later kind, or a higher id of this kind, is already held.
            MissingRow: there is no such row.
        """
        self.holding(kind, id)
        if (row := await self.row(sql, id=id)) is None:
            raise MissingRow(f"{kind.name} {id} does not exist")
        return row

    def holding(self, kind: Lock, id: int) -> None:
        """Note a lock that a statement takes by itself (UPDATE, SKIP LOCKED), under the same order."""
        if (kind, id) in self._mine:
            return  # taking again what one holds waits for nobody
        if (kind, id) < self._last:
            raise LockOrderViolation(f"{kind.name} {id} asked for while holding {self._last[0].name} {self._last[1]}")
        self._last = (kind, id)
        self._mine.add((kind, id))

    async def row(self, sql: LiteralString, **values: Any) -> RowMapping | None:
        return (await self._connection.execute(text(sql), values)).mappings().one_or_none()

    async def one(self, sql: LiteralString, **values: Any) -> RowMapping:
        """Exactly one row; MissingRow otherwise."""
        if (row := await self.row(sql, **values)) is None:
            raise MissingRow(f"no row for {sorted(values)}")
        return row

    async def rows(self, sql: LiteralString, **values: Any) -> Sequence[RowMapping]:
        return (await self._connection.execute(text(sql), values)).mappings().all()

    async def run(self, sql: LiteralString, **values: Any) -> int:
        """Rows affected."""
        return (await self._connection.execute(text(sql), values)).rowcount

    async def run_many(self, sql: LiteralString, values: Sequence[Mapping[str, Any]]) -> None:
        if values:
            await self._connection.execute(text(sql), list(values))

    async def wake(self) -> None:
        """Announce new work when, and only if, this transaction commits."""
        await self._connection.execute(text(f"NOTIFY {WAKE_CHANNEL}"))


def storable(text: str, chars: int) -> str:
    """At most ``chars`` of ``text`` as PostgreSQL can keep it: without NUL, lone surrogates replaced."""
    return text[:chars].replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncIterator[Tx]:
    """READ COMMITTED; commits at the end of the block, rolls back on any error."""
    with translated():
        async with engine.begin() as connection:
            await connection.execute(text("SET LOCAL lock_timeout = '5s'"))
            yield Tx(connection)


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[Tx]:
    """A consistent read of several statements: REPEATABLE READ, read only (rule RUN-7)."""
    with translated():
        async with engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            async with connection.begin():
                yield Tx(connection)
