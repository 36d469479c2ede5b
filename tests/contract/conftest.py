"""The Bot API simulator, and each of two clients on it."""

from __future__ import annotations

import pytest


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
