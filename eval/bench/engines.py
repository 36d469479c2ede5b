"""Two job engines on the same server, with empty jobs: enqueued eight at once, then worked off eight wide."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

WIDE = 8


async def procrastinate_rates(url: str, *, jobs: int) -> float:
    """Jobs per second from the first enqueue to the last end, deferred and worked like our own runs."""
    import procrastinate
    from procrastinate.exceptions import ConnectorException

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=2, max_size=20))
    seen, done = 0, asyncio.Event()

    @app.task(name="noop")
    async def noop(number: int) -> None:
        nonlocal seen
        seen += 1
        if seen >= jobs:
            done.set()

    async with app.open_async():
        try:
            await app.schema_manager.apply_schema_async()
        except ConnectorException:  # a later round: it is there already
            logging.getLogger(__name__).debug("schema was there")
        start = time.perf_counter()

        async def one(first: int) -> None:
            for number in range(first, jobs, WIDE):
                await noop.defer_async(number=number)

        await asyncio.gather(*(one(n) for n in range(WIDE)))
        worker = asyncio.create_task(
            app.run_worker_async(concurrency=WIDE, install_signal_handlers=False, delete_jobs="never")
        )
        await asyncio.wait_for(done.wait(), 300)
        took = time.perf_counter() - start
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
    return jobs / took


def dbos_rates(url: str, *, jobs: int) -> float:
    """Workflows of one step per second, enqueued and worked off."""
    from dbos import DBOS

    config: Any = {"name": "bench", "system_database_url": url, "log_level": "ERROR", "sys_db_pool_size": 20}
    DBOS(config=config)

    @DBOS.step()
    def step(number: int) -> int:
        return number

    @DBOS.workflow()
    def flow(number: int) -> int:
        return step(number)

    DBOS.launch()
    try:
        queue = DBOS.register_queue("bench", polling_interval_sec=0.05)
        start = time.perf_counter()
        handles = [queue.enqueue(flow, number) for number in range(jobs)]
        for handle in handles:
            handle.get_result()
        return jobs / (time.perf_counter() - start)
    finally:
        DBOS.destroy()
