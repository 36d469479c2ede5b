"""A transaction that is called off at any moment leaves a pool that works."""

from __future__ import annotations

import asyncio
import random

import pytest

from storage.engine import engine_of
from storage.tx import snapshot, transaction


async def test_whoever_comes_after_a_cancelled_transaction_gets_a_connection_that_works(database_url):
    """Seeded; a heartbeat is called off with its attempt, at whatever statement it stands."""
    engine, random_ = engine_of(database_url, pool_size=1, max_overflow=0), random.Random(1)

    async def work() -> None:
        async with transaction(engine) as tx:
            await tx.rows("SELECT 1 AS n")
            await tx.rows("SELECT 2 AS n")
            await tx.wake()

    await work()
    for _ in range(200):
        task = asyncio.create_task(work())
        await asyncio.sleep(random_.random() * 0.008)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await work()
    await engine.dispose()


@pytest.mark.parametrize("opened", [transaction, snapshot])
async def test_what_a_called_off_beginning_opened_is_nobody_elses(database_url, opened):
    """The answer to BEGIN may come after its caller has gone. Whoever gets that connection next would be inside it:
    what it commits would be a savepoint, and lost; a snapshot would be refused."""
    engine = engine_of(database_url, pool_size=1, max_overflow=0)
    async with transaction(engine) as tx:
        await tx.run("CREATE TABLE kept (n int)")

    async def work() -> None:
        async with opened(engine) as tx:
            await tx.rows("SELECT 1 AS n")

    for turns in range(60):
        task = asyncio.create_task(work())
        for _ in range(turns % 12):  # turns of the loop, up to the one in which the answer is read
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0.01 * (turns % 2))  # what was under way has arrived, or not
        async with transaction(engine) as tx:
            await tx.run("INSERT INTO kept VALUES (:n)", n=turns)
        async with snapshot(engine) as tx:
            assert await tx.rows("SELECT n FROM kept WHERE n = :n", n=turns), f"lost after {turns % 12} turns"
    await engine.dispose()
