"""The only begin and commit. A transaction holds no network, model or file work (rule RUN-5).

Statements go straight to asyncpg, on connections of SQLAlchemy's pool: the ledger's transactions are many and short,
and the layers in between cost more than the statements (eval/bench/ledger.py; README, decision D17).
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, LiteralString, Protocol

import asyncpg
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.domain.errors import Defect, LockOrderViolation, MissingRow
from storage.errors import translated
from storage.locks import Lock

WAKE_CHANNEL = "earmark_wake"  # one channel: listeners scan their own due rows
_PLACE = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")


class Row(Protocol):
    """One row of a result, by column name."""

    def __getitem__(self, column: str) -> Any: ...

    def get(self, column: str, default: Any = None) -> Any: ...

    def keys(self) -> Iterator[str]: ...

    def items(self) -> Iterator[tuple[str, Any]]: ...


class Tx:
    """One open transaction; hands out locks in order only."""

    def __init__(self, connection: Any, *, statements: int | None = None) -> None:
        self._connection = connection  # asyncpg's own
        self._left = statements  # how many may still be run; None: any number
        self._last: tuple[Lock, int] = (Lock.OWNER_BUDGET, -1)
        self._mine: set[tuple[Lock, int]] = set()
        self._wakes = False

    async def lock(self, kind: Lock, id: int, sql: LiteralString) -> Row:
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

    async def row(self, sql: LiteralString, **values: Any) -> Row | None:
        """At most one row; Defect when there are more."""
        found = await self.rows(sql, **values)
        if len(found) > 1:
            raise Defect(f"{len(found)} rows where one was meant")
        return found[0] if found else None

    async def one(self, sql: LiteralString, **values: Any) -> Row:
        """Exactly one row; MissingRow otherwise."""
        if (row := await self.row(sql, **values)) is None:
            raise MissingRow(f"no row for {sorted(values)}")
        return row

    async def rows(self, sql: LiteralString, **values: Any) -> Sequence[Row]:
        self._counted()
        statement, names = _numbered(sql)
        found: Sequence[Row] = await self._connection.fetch(statement, *(values[name] for name in names))
        return found

    async def run(self, sql: LiteralString, **values: Any) -> int:
        """Rows affected."""
        self._counted()
        statement, names = _numbered(sql)
        status: str = await self._connection.execute(statement, *(values[name] for name in names))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdecimal() else 0

    async def run_many(self, sql: LiteralString, values: Sequence[Mapping[str, Any]]) -> None:
        if values:
            self._counted()
            statement, names = _numbered(sql)
            await self._connection.executemany(statement, [[row[name] for name in names] for row in values])

    def _counted(self) -> None:
        if self._left is not None:
            if self._left == 0:
                raise Defect("a second statement where one was to be all: it would be a transaction of its own")
            self._left -= 1

    async def wake(self) -> None:
        """Announce new work after, and only if, this transaction commits; once, however often it is asked for."""
        self._wakes = True

    async def announce(self) -> None:
        """What follows a commit."""
        if self._wakes:
            await _announced(self._connection)


async def _announced(connection: Any) -> None:
    """NOTIFY in a transaction of its own, which writes nothing and so waits for no disk.

    Inside the transaction it would make the commits of the whole server take turns: PostgreSQL orders announcements
    by a lock that is held while the log is flushed. What is lost here, if the process dies now, costs the listeners
    their time-out; every listener scans rows.
    """
    with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        await connection.execute(f"NOTIFY {WAKE_CHANNEL}")


@lru_cache(maxsize=1_000)
def _numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """``:name`` places as PostgreSQL's ``$1``; the same name is the same place."""
    names: list[str] = []

    def place(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return _PLACE.sub(place, sql), tuple(names)


def storable(text: str, chars: int) -> str:
    """At most ``chars`` of ``text`` as PostgreSQL can keep it: without NUL, lone surrogates replaced."""
    return text[:chars].replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncIterator[Tx]:
    """READ COMMITTED; commits at the end of the block, rolls back on any error."""
    async with _connection(engine) as connection:
        async with connection.transaction():
            tx = Tx(connection)
            yield tx
        await tx.announce()


@asynccontextmanager
async def statement(engine: AsyncEngine) -> AsyncIterator[Tx]:
    """For a transaction that is one statement: it commits by itself, without the round trips of BEGIN and COMMIT.

    A second statement raises Defect.
    """
    async with _connection(engine) as connection:
        tx = Tx(connection, statements=1)
        yield tx
        await tx.announce()


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[Tx]:
    """A consistent read of several statements: REPEATABLE READ, read only (rule RUN-7)."""
    async with (
        _connection(engine) as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        yield Tx(connection)


@asynccontextmanager
async def _connection(engine: AsyncEngine) -> AsyncIterator[Any]:
    """Asyncpg's connection out of the pool; one that broke, or was called off, does not go back into it."""
    with translated():
        async with engine.connect() as pooled:
            raw: Any = (await pooled.get_raw_connection()).driver_connection
            called_off = False
            try:
                yield raw
            except asyncio.CancelledError:
                # The answer to its last statement is still to come. After a BEGIN the connection looks idle and will
                # not be: whoever got it next would commit a savepoint of a transaction that nobody ends.
                called_off = True
                raise
            finally:
                if called_off or raw.is_closed() or raw.is_in_transaction():
                    await pooled.invalidate()
