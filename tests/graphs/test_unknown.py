"""Paid speech whose outcome is unknown, receipts that outlive their attempt, budgets, a day that is full (TTS, MDL, PUB)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

import pytest

from pipeline.commands.episode import cancel, retry
from pipeline.domain.audio import AudioLimits
from pipeline.domain.errors import Expired, NeverSent, OutcomeUnknown
from pipeline.ports.tts import Receipt, Speech
from pipeline.providers.tts_fake import FakeSynthesizer
from pipeline.worker.background import promote_questions
from storage.queries.episode.receipt import receipt
from storage.tx import transaction
from tests.graphs.test_episode import QUESTION, TEXT
from tests.support.house import bench
from tests.support.rows import execute, owner_and_chat, rows, scalar

SHORT = {"audio": AudioLimits(max_segment_chars=30)}  # several segments, so that some can be missing


@dataclass
class PaidSynthesizer:
    """Every submit costs; what happens to it is written in ``fates``: ok | lost | never | gone (its bytes expire).

    Counts every submit and never deduplicates.
    """

    fates: dict[int, str] = field(default_factory=dict)  # by submit, from 1
    fetch_fails: int = 0  # downloads that break before one works
    submits: list[tuple[str, ...]] = field(default_factory=list)
    fetches: int = 0
    effect: Literal["none", "billed"] = "billed"
    identity: str = "paid 1"
    max_chars: int = 600
    _tone: FakeSynthesizer = field(default_factory=FakeSynthesizer)
    _made: dict[str, Receipt] = field(default_factory=dict)

    async def submit(self, pieces: tuple[str, ...], *, voice: str, call_id: str) -> Receipt:
        self.submits.append(pieces)
        fate = self.fates.get(len(self.submits), "ok")
        if fate == "never":
            self.submits.pop()
            self.fates.clear()
            raise NeverSent("paid", "no connection")
        if fate == "lost":
            raise OutcomeUnknown("paid", "no answer within 30 s")
        made = await self._tone.submit(pieces, voice=voice, call_id=call_id)
        receipt = replace(made, locator=f"url-{len(self.submits)}", cost_micro=1_000)
        self._made[receipt.locator] = made
        if fate == "gone":
            del self._made[receipt.locator]
        return receipt

    async def fetch(self, receipt: Receipt) -> Speech:
        self.fetches += 1
        if self.fetch_fails:
            self.fetch_fails -= 1
            raise NeverSent("paid", "download broke off")
        if receipt.locator not in self._made:
            raise Expired("paid", "gone")
        return await self._tone.fetch(self._made[receipt.locator])


async def calls(engine):
    return [state for (state,) in await rows(engine, "SELECT state FROM provider_call ORDER BY id")]


async def decide(engine, verb, revision, **values):
    owner, _ = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        return await verb(tx, owner_id=owner, revision_id=revision, **values)


async def test_a_lost_answer_waits_for_a_person_and_is_never_repeated_by_the_machine(engine, tmp_path):
    """TTS-1: the third of several segments got no answer; the first two stay, the others are not asked for."""
    tts = PaidSynthesizer(fates={3: "lost"})
    at = bench(engine, tmp_path, tts=tts, **SHORT)
    revision = await at.submit(TEXT, QUESTION)
    await at.work()
    view = await receipt(engine, revision)
    assert view.run_state == "WAITING_REVIEW"
    assert view.error_values["missing"] == view.error_values["parts"] - 2 > 0
    assert await calls(engine) == ["STORED", "STORED", "UNKNOWN"]
    assert len(tts.submits) == 3
    assert await decide(engine, retry, revision, now=at.clock.now())
    await at.work()
    assert (await receipt(engine, revision)).run_state == "SUCCEEDED"
    states = await calls(engine)
    assert states[:3] == ["STORED", "STORED", "FAILED"]
    assert set(states[3:]) == {"STORED"}
    assert await rows(engine, "SELECT call_seq FROM provider_call ORDER BY id LIMIT 1 OFFSET 3") == [(2,)]  # a new call
    assert len(tts.submits) == view.error_values["parts"] + 1  # only what was missing, and the one a person repeated


async def test_giving_up_ends_the_run_and_keeps_what_is_known(engine, tmp_path):
    at = bench(engine, tmp_path, tts=PaidSynthesizer(fates={1: "lost"}), **SHORT)
    revision = await at.submit(TEXT, QUESTION)
    await at.work()
    assert await decide(engine, cancel, revision)
    assert (await receipt(engine, revision)).run_state == "CANCELLED"
    assert await calls(engine) == ["UNKNOWN"]  # nobody found out; nobody says otherwise


async def test_an_intent_that_a_dead_attempt_left_is_unknown(engine, tmp_path):
    """TTS-1: it may have died between the request and its receipt."""
    tts = PaidSynthesizer()
    at = bench(engine, tmp_path, tts=tts, **SHORT)
    revision = await at.submit(TEXT, QUESTION)
    blocked = asyncio.Event()

    async def hangs(pieces, *, voice, call_id):
        blocked.set()
        await asyncio.Event().wait()

    real, tts.submit = tts.submit, hangs
    loop = at.loop()
    dying = asyncio.create_task(loop.run(concurrency=1))
    async with asyncio.timeout(20):
        await blocked.wait()
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    await execute(
        engine, "UPDATE generation_run SET state = 'RUNNING', holder = 'dead', expires_at = now() - interval '1 s'"
    )
    tts.submit = real
    await at.work()
    assert (await receipt(engine, revision)).run_state == "WAITING_REVIEW"
    assert await calls(engine) == ["UNKNOWN"]
    assert tts.submits == []


async def test_a_request_under_way_keeps_its_receipt_when_a_person_cancels(engine, tmp_path):
    """TTS-1: a receipt is a fact; only this process can still learn it."""
    tts = PaidSynthesizer()
    at = bench(engine, tmp_path, tts=tts, **SHORT)
    revision = await at.submit(TEXT, QUESTION)
    asked, answer = asyncio.Event(), asyncio.Event()
    real = tts.submit

    async def slow(pieces, *, voice, call_id):
        asked.set()
        await answer.wait()
        return await real(pieces, voice=voice, call_id=call_id)

    tts.submit = slow
    loop = at.loop()
    working = asyncio.create_task(loop.run(concurrency=1))
    async with asyncio.timeout(20):
        await asked.wait()
        assert await decide(engine, cancel, revision)
        await asyncio.sleep(0.5)  # the heartbeat has told the attempt
        answer.set()
        while (await receipt(engine, revision)).run_state != "CANCELLED":
            await asyncio.sleep(0.02)
    loop.stopping.set()
    await working
    assert await calls(engine) == ["RECEIPT"]
    assert len(tts.submits) == 1


async def test_a_broken_download_uses_the_receipt_that_is_there(engine, tmp_path):
    """TTS-2: made once, downloaded twice."""
    tts = PaidSynthesizer(fetch_fails=1)
    at = bench(engine, tmp_path, tts=tts)
    revision = await at.submit(TEXT, QUESTION)
    await at.work(until="SELECT state = 'SUCCEEDED' FROM generation_run")
    assert (await receipt(engine, revision)).attempts == 2
    assert set(await calls(engine)) == {"STORED"}
    assert len(tts.submits) == len(await calls(engine))
    assert tts.fetches == len(tts.submits) + 1


async def test_a_receipt_serves_another_run_of_the_same_owner_too(engine, tmp_path):
    """TTS-1: a receipt is a fact, however late and whoever asked."""
    tts = PaidSynthesizer(fates={1: "lost"})
    at = bench(engine, tmp_path, tts=tts)
    first = await at.submit(TEXT, QUESTION)
    await at.work()
    made = await tts._tone.submit(tts.submits[0], voice="tone", call_id="late")
    tts._made["late-url"] = made
    await execute(
        engine, "UPDATE provider_call SET state = 'RECEIPT', locator = 'late-url', request_id = 'r', cost_micro = 1000"
    )
    await decide(engine, cancel, first)
    second = await at.submit(TEXT, QUESTION)
    await at.work()
    assert (await receipt(engine, second)).run_state == "SUCCEEDED"
    assert len(tts.submits) == len(await calls(engine))
    assert (await calls(engine))[0] == "STORED"


async def test_what_was_paid_for_and_is_gone_is_a_persons_decision(engine, tmp_path):
    tts = PaidSynthesizer(fates={1: "gone"})
    at = bench(engine, tmp_path, tts=tts)
    revision = await at.submit(TEXT, QUESTION)
    await at.work()
    assert (await receipt(engine, revision)).run_state == "WAITING_REVIEW"
    assert await calls(engine) == ["EXPIRED"]
    assert len(tts.submits) == 1


async def test_a_call_that_never_left_is_repeated_by_the_machine(engine, tmp_path):
    at = bench(engine, tmp_path, tts=PaidSynthesizer(fates={1: "never"}))
    revision = await at.submit(TEXT, QUESTION)
    await at.work(until="SELECT state = 'SUCCEEDED' FROM generation_run")
    assert (await calls(engine))[0] == "FAILED"
    assert (await receipt(engine, revision)).attempts == 2


async def test_no_call_is_made_beyond_the_budget_and_a_new_attempt_inherits_what_is_left(engine, tmp_path):
    """MDL-4."""
    tts = PaidSynthesizer(fates={2: "never"})
    at = bench(engine, tmp_path, tts=tts, **SHORT)
    revision = await at.submit(TEXT, QUESTION)
    await execute(engine, "UPDATE generation_run SET calls_limit = 3")
    await at.work(until="SELECT state = 'FAILED' FROM generation_run")
    view = await receipt(engine, revision)
    assert (view.error_reason, view.attempts) == ("budget_spent", 2)
    assert await rows(engine, "SELECT calls_used FROM generation_run") == [(3,)]
    assert len(await calls(engine)) == 3


@pytest.mark.parametrize("budget_ms", [30_000])
async def test_a_full_day_puts_publishing_off_and_nothing_else(engine, tmp_path, budget_ms):
    """RUN-2, PUB-1, PUB-2: the audio is kept, the run goes on the next day with its counters."""
    at = bench(engine, tmp_path, day_budget_ms=budget_ms)
    ids = [await at.submit(TEXT, q) for q in (QUESTION, "修理的费用是多少？", "学校怎么安排？", "裂缝有多长？")]
    await at.work()
    states = {r: (await receipt(engine, r)) for r in ids}
    late = [r for r, view in states.items() if view.run_state == "DEFERRED"]
    assert late
    used = await scalar(engine, "SELECT sum(duration_ms) FROM plan_item")
    assert 0 < used <= budget_ms
    assert {states[r].error_reason for r in late} == {"no_room"}
    assert await scalar(engine, "SELECT count(*) FROM outbox_message WHERE kind = 'voice'") == len(ids) - len(late)
    submits = len(at.tts.calls)
    at.clock.ahead = timedelta(days=1)
    await promote_questions(at.tools, default_question="")
    await at.work()
    assert "SUCCEEDED" in [(await receipt(engine, r)).run_state for r in late]  # as many as the new day holds
    assert len(at.tts.calls) == submits  # nothing was made again
    assert await scalar(engine, "SELECT count(*) FROM daily_plan") == 2


async def test_the_same_question_anew_does_not_pay_again_by_itself(engine, tmp_path):
    """TTS-1: who gives up a run of unknown outcome and asks again is told, and decides, before anything is made."""
    tts = PaidSynthesizer(fates={2: "lost"})
    at = bench(engine, tmp_path, tts=tts, **SHORT)
    revision = await at.submit(TEXT, QUESTION)
    await at.work(until="SELECT state = 'WAITING_REVIEW' FROM generation_run")
    owner, _ = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        assert await cancel(tx, revision_id=revision, owner_id=owner)
    made = len(tts.submits)
    again = await at.submit(TEXT, QUESTION)
    await at.work(until="SELECT state = 'WAITING_REVIEW' FROM generation_run ORDER BY id DESC LIMIT 1")
    assert len(tts.submits) == made
    assert (await receipt(engine, again)).run_state == "WAITING_REVIEW"
    async with transaction(engine) as tx:
        assert await retry(tx, revision_id=again, owner_id=owner, now=at.clock.now())
    await at.work(until="SELECT state = 'SUCCEEDED' FROM generation_run ORDER BY id DESC LIMIT 1")
    assert "UNKNOWN" not in await calls(engine)
    assert (await receipt(engine, again)).run_state == "SUCCEEDED"
