"""Runs that a worker never takes: the day is full, or no try is left."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pydantic import ValidationError

from pipeline.settings import Settings
from pipeline.worker.background import promote_questions, put_off_full_days
from storage.queries.episode.receipt import receipt
from tests.support.house import bench
from tests.support.rows import execute, rows, scalar

_DAY = timedelta(days=1)
TEXT = "北桥的维修在三月开始，预计六月结束。维修期间行人走东侧。学校的校车改道。" * 4


async def test_what_is_queued_on_a_full_day_waits_for_the_next_and_calls_no_model(engine, tmp_path):
    """RUN-2: kept, not queued, no model called; the next day the same run goes on with its counters."""
    at = bench(engine, tmp_path, day_budget_ms=600_000)
    first = await at.submit(TEXT, "维修什么时候开始？")
    await at.work()
    await execute(engine, "UPDATE plan_item SET duration_ms = 300_001")
    late = await at.submit(TEXT, "校车怎么走？")
    before = len(at.tts.calls)
    assert await put_off_full_days(at.tools) == 1
    assert await put_off_full_days(at.tools) == 0
    await at.work()
    view = await receipt(engine, late)
    assert (view.run_state, view.error_reason, view.attempts) == ("DEFERRED", "no_room", 0)
    assert len(at.tts.calls) == before
    assert await scalar(engine, "SELECT min(next_due_at) > now() FROM generation_run WHERE state = 'DEFERRED'")
    at.clock.ahead = at.clock.ahead + _DAY
    await promote_questions(at.tools, default_question="")
    assert await put_off_full_days(at.tools) == 0
    await at.work()
    assert (await receipt(engine, late)).run_state == "SUCCEEDED"
    assert (await receipt(engine, first)).run_state == "SUCCEEDED"
    kinds = [k for (k,) in await rows(engine, "SELECT kind FROM run_event ORDER BY run_id, seq")]
    assert kinds.count("deferred") == 1


async def test_exactly_the_time_of_an_episode_is_room_enough(engine, tmp_path):
    """PUB-1."""
    at = bench(engine, tmp_path, day_budget_ms=600_000)
    await at.submit(TEXT, "维修什么时候开始？")
    await at.work()
    await execute(engine, "UPDATE plan_item SET duration_ms = 300_000")
    await at.submit(TEXT, "校车怎么走？")
    assert await put_off_full_days(at.tools) == 0


async def test_a_day_with_a_plan_has_its_own_budget(engine, tmp_path):
    at = bench(engine, tmp_path, day_budget_ms=600_000)
    await at.submit(TEXT, "维修什么时候开始？")
    await at.work()
    await execute(engine, "UPDATE daily_plan SET budget_ms = 299_999")
    await execute(engine, "UPDATE plan_item SET state = 'released'")
    await at.submit(TEXT, "校车怎么走？")
    assert await put_off_full_days(at.tools) == 1


async def test_days_without_a_limit_put_nothing_off(engine, tmp_path):
    at = bench(engine, tmp_path)
    await at.submit(TEXT, "校车怎么走？")
    assert await put_off_full_days(at.tools) == 0


@pytest.mark.parametrize("seconds", [1, 60, 299])
def test_a_day_too_short_for_any_episode_is_refused_at_the_start(seconds):
    """Every run would wait for a tomorrow that has no room either."""
    with pytest.raises(ValidationError, match="DAY_BUDGET_S"):
        Settings(_env_file=None, day_budget_s=seconds)


@pytest.mark.parametrize("seconds", [0, 300, 600])
def test_a_day_of_an_episode_or_more_is_taken(seconds):
    assert Settings(_env_file=None, day_budget_s=seconds).day_budget_s == seconds
