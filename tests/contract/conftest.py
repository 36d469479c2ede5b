"""A simulated web for each test that asks for one, and the guard's names for it."""

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
