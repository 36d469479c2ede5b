"""A transaction that is called off at any moment leaves a pool that works."""

from __future__ import annotations

import asyncio
import random

from storage.engine import engine_of
from storage.tx import transaction


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
