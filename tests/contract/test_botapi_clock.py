"""The clock of the Bot API simulator: faster, or moved by hand."""

from __future__ import annotations

import asyncio
import time

import pytest

from eval.simulators.botapi.clock import START, Clock


async def test_a_standing_clock_moves_only_by_hand():
    clock = Clock(factor=0)
    assert clock.now() == START
    sleeper = asyncio.create_task(clock.sleep(10))
    await asyncio.sleep(0.01)
    clock.advance(9)
    await asyncio.sleep(0.02)
    assert not sleeper.done()
    clock.advance(1)
    await asyncio.wait_for(sleeper, 1)
    assert clock.now() == START + 10


async def test_a_fast_clock_is_fast():
    clock = Clock(factor=100, start_s=0)
    began = time.monotonic()
    await clock.sleep(10)
    assert 0.09 < time.monotonic() - began < 5
    assert clock.now() >= 10


async def test_a_fast_clock_can_be_moved_too():
    clock = Clock(factor=1, start_s=0)
    sleeper = asyncio.create_task(clock.sleep(3600))
    await asyncio.sleep(0.01)
    clock.advance(3600)
    await asyncio.wait_for(sleeper, 1)


async def test_waiting_says_what_came_first_and_leaves_nothing_behind():
    clock, event = Clock(factor=0), asyncio.Event()
    before = asyncio.all_tasks()
    waiting = asyncio.create_task(clock.wait(event.wait(), 10))
    await asyncio.sleep(0.01)
    clock.advance(10)
    assert await asyncio.wait_for(waiting, 1) is False
    event.set()
    assert await clock.wait(event.wait(), 10) is True
    assert asyncio.all_tasks() == before


async def test_an_error_of_what_is_waited_for_is_raised():
    async def breaks() -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await Clock(factor=0).wait(breaks(), 10)
