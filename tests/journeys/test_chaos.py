"""The short form of the chaos run; the whole one is ``python -m eval chaos`` (README, Figures)."""

from __future__ import annotations

import pytest

from eval.scorers.ledger import BREACHES, score
from eval.tasks.chaos import Chaos, storm
from storage.transactions.run.event import event
from storage.tx import transaction
from tests.support.rows import claimed, execute, submitted

pytestmark = pytest.mark.slow


async def test_small_runs_while_workers_are_killed_all_end_and_the_rows_are_whole():
    """RUN-4, RUN-8, TTS-1, PUB-2, MDL-4: seeded; two workers, killed and frozen, and a server that dies."""
    chaos = Chaos(runs=24, seed=7)
    found = await storm(chaos, workers=2, time_limit_s=240)
    assert found.breaches == {}
    assert sum(found.counts["runs"].values()) >= 24
    assert found.counts["database"]["deadlocks"] == 0
    assert chaos.workers_killed + chaos.workers_stopped > 0


PLANTED = [
    ("a run that never ended", "UPDATE generation_run SET state = 'QUEUED', expires_at = NULL, finished_at = NULL"),
    ("calls that were not counted", "UPDATE generation_run SET calls_used = 3"),
    ("more calls than the budget", "UPDATE generation_run SET calls_used = 61"),
    ("events with a hole", "DELETE FROM run_event WHERE seq = 1"),
    ("a fence that went back", "UPDATE run_event SET fence = 9 WHERE seq = 1"),
    ("a fence nobody was given", "UPDATE run_event SET fence = 9"),
    ("a run that succeeded and left nothing", "UPDATE generation_run SET state = 'SUCCEEDED', finished_at = now(), expires_at = NULL"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fault"), PLANTED, ids=[p[0] for p in PLANTED])
async def test_a_planted_fault_is_found(engine, name, fault):
    """A judge that cannot say no says nothing."""
    await submitted(engine)
    run = await claimed(engine)
    async with transaction(engine) as tx:
        await event(tx, run_id=run["id"], kind="looked_at")
    await execute(engine, fault)
    assert name in BREACHES
    assert any(found.startswith(name) for found in (await score(engine)).breaches)
