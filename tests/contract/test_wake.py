"""Every way to be woken keeps the port's promises (RUN-3): soon when announced, late when not, never lost for good.

A second carrier is a second value of ``CARRIERS``: how to make one that is listening, and how to break its connection.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import asyncpg
import pytest

from pipeline.ports.wake import Wake
from storage.embedded import EmbeddedPostgres
from storage.listen import Listener
from tests.support.folders import walkable
from tests.support.product import until

SOON_S, LONG_S = 2.0, 30.0


@dataclass
class Carrier:
    """``sender`` is another process's end of the same carrier."""

    wake: Wake
    sender: Wake
    cut: Callable[[], Awaitable[None]]  # the connection of ``wake`` is killed
    close: Callable[[], Awaitable[None]]


async def by_notify(url: str) -> Carrier:
    listener, sender = Listener(url), Listener(url)
    listener.start()
    sender.start()
    for one in (listener, sender):
        await until(lambda one=one: _listens(one), timeout_s=10, every_s=0.01)

    async def cut() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid() AND datname = current_database()"
        )
        await connection.close()

    async def close() -> None:
        await listener.close()
        await sender.close()

    return Carrier(listener, sender, cut, close)


async def _listens(listener: Listener) -> bool:
    return listener._connection is not None


CARRIERS = {"notify": by_notify}


@pytest.fixture(params=CARRIERS)
async def carrier(request: pytest.FixtureRequest, database_url: str) -> AsyncIterator[Carrier]:
    made = await CARRIERS[request.param](database_url)
    yield made
    await made.close()


async def waited(wake: Wake, timeout_s: float) -> float:
    """Seconds a wait took."""
    start = time.perf_counter()
    await wake.wait(timeout_s)
    return time.perf_counter() - start


async def _announced_until(sender: Wake, waiters: asyncio.Future) -> None:
    """Announce as the dispatcher does, whose lease sends again what was lost."""
    while not waiters.done():
        await sender.announce((1,))
        await asyncio.wait({waiters}, timeout=0.1)


async def test_an_announcement_wakes_every_waiter_soon(carrier: Carrier) -> None:
    waits = [asyncio.create_task(waited(carrier.wake, LONG_S)) for _ in range(5)]
    waits.append(asyncio.create_task(waited(carrier.sender, LONG_S)))
    await asyncio.sleep(0)
    await carrier.sender.announce((1, 2))
    assert max(await asyncio.gather(*waits)) < SOON_S


async def test_a_wait_without_an_announcement_ends_after_its_time(carrier: Carrier) -> None:
    await waited(carrier.wake, 0.2)  # what came with the connection itself
    assert 0.15 <= await waited(carrier.wake, 0.2) < SOON_S


async def test_nothing_to_announce_wakes_nobody(carrier: Carrier) -> None:
    await waited(carrier.wake, 0.2)
    waiting = asyncio.create_task(waited(carrier.wake, 0.3))
    await asyncio.sleep(0)
    await carrier.sender.announce(())
    assert await waiting >= 0.25


async def test_what_was_announced_while_nobody_waited_costs_at_most_the_time_out(carrier: Carrier) -> None:
    await carrier.sender.announce((1,))
    assert await waited(carrier.wake, 0.3) < 0.3 + SOON_S


async def test_duplicates_are_harmless(carrier: Carrier) -> None:
    waiting = asyncio.create_task(waited(carrier.wake, LONG_S))
    await asyncio.sleep(0)
    await asyncio.gather(*(carrier.sender.announce((1, 1)) for _ in range(20)))
    assert await waiting < SOON_S
    await until(lambda: _quiet(carrier.wake), timeout_s=10)


async def _quiet(wake: Wake) -> bool:
    return await waited(wake, 0.2) >= 0.15


async def test_nobody_waits_any_more_once_it_is_released(carrier: Carrier) -> None:
    """A process that stops does not sit out a scan interval; an announcement that comes late changes nothing."""
    waits = [asyncio.create_task(waited(carrier.wake, LONG_S)) for _ in range(3)]
    await asyncio.sleep(0)
    carrier.wake.release()
    assert max(await asyncio.gather(*waits)) < SOON_S
    assert await waited(carrier.wake, LONG_S) < SOON_S
    other = asyncio.ensure_future(waited(carrier.sender, LONG_S))
    await _announced_until(carrier.sender, other)
    assert await waited(carrier.wake, LONG_S) < SOON_S


async def test_a_killed_connection_is_made_again(carrier: Carrier) -> None:
    await carrier.cut()
    waiting = asyncio.ensure_future(waited(carrier.wake, LONG_S))
    await _announced_until(carrier.sender, waiting)
    assert await waiting < LONG_S / 2
    again = asyncio.ensure_future(waited(carrier.wake, LONG_S))
    await _announced_until(carrier.sender, again)
    assert await again < LONG_S / 2


@pytest.mark.slow
async def test_a_restarted_server_is_found_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    server = EmbeddedPostgres(walkable(tmp_path_factory.mktemp("wake")), durable=False)
    carrier = await by_notify(await asyncio.to_thread(server.start))
    try:
        port = server.url().rpartition(":")[2]
        await asyncio.to_thread(server.close)
        assert 0.1 <= await waited(carrier.wake, 0.2) < SOON_S  # a wait without a server still ends
        assert (await asyncio.to_thread(server.start)).rpartition(":")[2] == port
        waiting = asyncio.ensure_future(waited(carrier.wake, LONG_S))
        await _announced_until(carrier.sender, waiting)
        assert await waiting < LONG_S / 2
    finally:
        await carrier.close()
        await asyncio.to_thread(server.close)
