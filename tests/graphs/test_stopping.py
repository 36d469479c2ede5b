"""A process that is stopped in good order leaves its runs to the next one, however often (rule RUN-4)."""

from __future__ import annotations

import asyncio

from tests.graphs.test_episode import QUESTION, TEXT
from tests.support.house import DyingSynthesizer, bench
from tests.support.rows import rows


async def test_a_run_survives_more_restarts_than_it_has_attempts(engine, tmp_path):
    speaker = DyingSynthesizer(hold=1)
    at = bench(engine, tmp_path, tts=speaker)
    await at.submit(TEXT, QUESTION)
    for _ in range(at.limits.max_attempts + 1):
        loop = at.loop()
        working = asyncio.create_task(loop.run(concurrency=1))
        async with asyncio.timeout(20):
            await speaker.reached.wait()
        loop.stopping.set()
        await working
        assert await rows(engine, "SELECT state, attempts FROM generation_run") == [("RETRY_WAIT", 0)]
        speaker.calls.clear()
        speaker.reached.clear()
    speaker.hold = 0
    await at.work()
    assert await rows(engine, "SELECT state, attempts FROM generation_run") == [("SUCCEEDED", 1)]
