"""Simulated outside worlds for each test that asks for one: the web, and Telegram with each of two clients on it."""

from __future__ import annotations

import pytest

from eval.simulators import web as sim
from tests.support.guarded import PAGE, World


@pytest.fixture
async def web():
    async with sim.simulated_web() as running:
        running.serve("/a", sim.page(PAGE))
        yield running


@pytest.fixture
def world(web):
    return World(web)


@pytest.fixture
def clock():
    """One that stands still: what waits, waits until a test moves it."""
    from eval.simulators.botapi.clock import Clock

    return Clock(factor=0)


@pytest.fixture
async def telegram(clock):
    from eval.simulators.botapi.start import simulated_botapi

    async with simulated_botapi(clock) as one:
        yield one


@pytest.fixture(params=["aiogram", "ptb"])
async def bot(request, telegram, monkeypatch):
    from tests.support.bot_clients import CLIENTS

    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # python-telegram-bot warns of its older way to say a time
    client = CLIENTS[request.param](telegram.base, telegram.token)
    await client.start()
    yield client
    await client.close()
