"""Transactions: one statement or many, and what is announced when."""

from __future__ import annotations

import asyncio

import pytest

from pipeline.domain.errors import Defect
from storage.listen import Listener
from storage.tx import statement, transaction
from tests.support.rows import scalar

NAMED = "INSERT INTO owner (language) VALUES (:language)"


async def test_a_transaction_of_one_statement_has_no_second(engine):
    """RUN-5: the second would be a transaction of its own, and the first could stand alone."""
    with pytest.raises(Defect, match="second statement"):
        async with statement(engine) as tx:
            await tx.run(NAMED, language="zh")
            await tx.run(NAMED, language="en")
    assert await scalar(engine, "SELECT string_agg(language, ',') FROM owner") == "zh"


@pytest.mark.parametrize("begun", [statement, transaction])
async def test_what_is_announced_is_committed_already(engine, database_url, begun):
    listener = Listener(database_url)
    listener.start()
    await listener.wait(10)  # the first ring says that it listens
    try:
        waiting = asyncio.create_task(listener.wait(20))
        await asyncio.sleep(0)
        async with begun(engine) as tx:
            await tx.wake()
            await tx.run(NAMED, language="zh")
            assert not waiting.done()
        started = asyncio.get_running_loop().time()
        await waiting
        assert await scalar(engine, "SELECT count(*) FROM owner") == 1
        assert asyncio.get_running_loop().time() - started < 10
    finally:
        await listener.close()


async def test_what_is_rolled_back_is_not_announced(engine, database_url):
    listener = Listener(database_url)
    listener.start()
    await listener.wait(10)
    try:
        with pytest.raises(ZeroDivisionError):
            async with transaction(engine) as tx:
                await tx.wake()
                raise ZeroDivisionError
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await listener.wait(20)
    finally:
        await listener.close()


@pytest.mark.parametrize(("name", "value"), [("idle_in_transaction_session_timeout", "10s"), ("lock_timeout", "5s")])
async def test_a_frozen_process_holds_no_rows_for_ever(engine, name, value):
    """RUN-4: who sleeps inside a transaction is cut off by the server, and who waits for a row gives up."""
    assert await scalar(engine, f"SHOW {name}") == value
