"""The episode's path on shipped fakes and real rows: what is made, what is refused, what survives."""

from __future__ import annotations

import asyncio
import json

import pytest

from bot.screens.receipt import state_of
from eval.bench.product import article
from pipeline.domain.audio import AudioLimits
from pipeline.providers.tts_fake import FakeSynthesizer
from pipeline.worker.background import index_one_batch, promote_questions
from storage.queries.episode.receipt import receipt
from storage.queries.episode.spoken import spoken
from storage.transactions.episode.ask import ask
from storage.transactions.run.cancel import cancel_revision, resume_revision
from storage.tx import transaction
from tests.support.house import DyingSynthesizer, PlainParser, bench
from tests.support.rows import execute, lapse, owner_and_chat, rows, scalar

TEXT = "\n".join(
    [
        "老桥在三月十二日关闭，因为桥墩上发现了两条裂缝。",
        "检查人员用了四天时间，在水下拍了六十张照片。",
        "裂缝一共长一点七米，最深的地方有三厘米。",
        "修理的费用由县里出，一共是四十二万元。",
        "修理期间，居民要从上游的新桥绕行，每次多走六公里。",
        "学校把上课时间推迟了二十分钟，让绕行的孩子赶得上。",
        "工程队说，如果雨水不多，老桥会在五月底重新开放。",
        "县里没有说明以后多久检查一次。",
    ]
)
QUESTION = "老桥为什么关闭？"


@pytest.fixture
def at(engine, tmp_path):
    return bench(engine, tmp_path)


async def one(engine, sql: str, **values):
    found = await rows(engine, sql, **values)
    assert len(found) == 1
    return found[0]


async def test_a_text_and_a_question_become_a_published_voice_note(at, engine):
    revision = await at.submit(TEXT, QUESTION)
    await at.work()
    assert await one(engine, "SELECT state FROM generation_run") == ("SUCCEEDED",)
    assert await one(engine, "SELECT state, published_revision_id FROM episode") == ("PUBLISHED", revision)
    owner, _ = await owner_and_chat(engine)
    view = await spoken(engine, revision, owner_id=owner)
    assert any("裂缝" in s.text for s in view.sentences)
    assert 0 < view.duration_ms <= 300_000
    for sentence in view.sentences:
        for quote in sentence.quotes:  # EVD-2: verbatim
            assert quote.text == sentence.text == view.source.text[quote.start : quote.end]
    stages = {s.stage: s.status for s in (await receipt(engine, revision)).stages}
    assert stages == {**dict.fromkeys(stages, "done"), "fetch": "next"}  # nothing had to be fetched
    assert await scalar(engine, "SELECT count(*) FROM outbox_message WHERE kind = 'voice'") == 1


async def test_a_question_the_text_does_not_answer_ends_in_a_sentence_without_audio(at, engine):
    """EVD-7."""
    revision = await at.submit(TEXT, "量子计算机的纠错码有哪几种？")
    await at.work()
    assert await one(engine, "SELECT state FROM episode_revision") == ("STOPPED",)
    assert await one(engine, "SELECT state FROM generation_run") == ("SUCCEEDED",)
    assert at.tts.calls == []
    assert await scalar(engine, "SELECT count(*) FROM stage_artifact WHERE kind IN ('script', 'speech', 'audio')") == 0
    assert (await receipt(engine, revision)).decline["reason"] == "not_covered"


async def test_another_language_gives_its_excerpts_as_text(at, engine):
    """SEC-6."""
    text = "The old bridge was closed on 12 March. Two cracks had been found in a pier. Divers took sixty pictures of them."
    revision = await at.submit(text, "Why was the bridge closed?")
    await at.work()
    decline = (await receipt(engine, revision)).decline
    assert decline["reason"] == "other_language"
    assert decline["excerpts"]
    assert all(words in text for words, _ in decline["excerpts"])
    assert at.tts.calls == []


async def test_a_parser_that_dies_costs_this_source_and_is_not_tried_again(at, engine):
    """SEC-3."""
    bad = await at.submit("!die:memory", QUESTION)
    good = await at.submit(TEXT, QUESTION)
    await at.work()
    assert await one(
        engine, "SELECT state, error_reason, attempts FROM generation_run WHERE revision_id = :r", r=bad
    ) == (
        "FAILED",
        "parser_died",
        1,
    )
    assert await one(engine, "SELECT state FROM generation_run WHERE revision_id = :r", r=good) == ("SUCCEEDED",)
    view = await receipt(engine, bad)
    assert {s.stage: s.status for s in view.stages}["read"] == "bad"
    assert view.error_values == {"how": "memory"}


async def test_a_refused_input_keeps_its_reason(at, engine):
    revision = await at.submit("!refuse:encrypted", QUESTION)
    await at.work()
    assert (await receipt(engine, revision)).error_reason == "encrypted"


async def test_a_dead_model_host_is_tried_again_and_its_call_stays_on_record(engine, tmp_path):
    """TTS-1: a call without an effect may simply be made again, as a new call."""
    at = bench(engine, tmp_path, tts=DyingSynthesizer(dies_at=(1,)))
    await at.submit(TEXT, QUESTION)
    await at.work(until="SELECT state = 'SUCCEEDED' FROM generation_run")
    assert await rows(engine, "SELECT call_seq, state FROM provider_call ORDER BY id") == [(1, "FAILED"), (2, "STORED")]
    assert await one(engine, "SELECT attempts FROM generation_run") == (2,)


async def test_a_host_that_dies_each_time_fails_the_run_after_four_attempts_and_a_person_may_go_on(engine, tmp_path):
    """RUN-4."""
    at = bench(engine, tmp_path, tts=DyingSynthesizer(dies_at=(1, 2, 3, 4)))
    revision = await at.submit(TEXT, QUESTION)
    await at.work(until="SELECT state = 'FAILED' FROM generation_run")
    assert await one(engine, "SELECT attempts, error_reason FROM generation_run") == (4, "child.crash")
    owner, _ = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        assert await resume_revision(tx, revision_id=revision, owner_id=owner, now=at.clock.now())
    await at.work()
    assert await one(engine, "SELECT state FROM generation_run") == ("SUCCEEDED",)
    assert len(at.parser.calls) == 1  # what was read stays read


@pytest.mark.slow
async def test_a_script_that_is_too_long_is_shortened_once_and_keeps_what_is_critical(engine, tmp_path):
    """AUD-3. The voice is slow, so that a script of usual length does not fit."""
    long = article(3000, salt="甲").decode()
    at = bench(engine, tmp_path, tts=FakeSynthesizer(s_per_beat=0.44), parser=PlainParser())
    revision = await at.submit(long, "讲要点")
    await at.work(timeout_s=300)
    assert await one(engine, "SELECT state, error_reason FROM generation_run") == ("SUCCEEDED", None)
    assert await scalar(engine, "SELECT count(*) FROM run_event WHERE kind = 'shortened'") == 1
    found = await rows(engine, "SELECT content::text FROM stage_artifact WHERE kind = 'script' ORDER BY id")
    scripts = [json.loads(content) for (content,) in found]
    critical = [{c["text"] for c in s["claims"] if c["critical"]} for s in scripts]
    assert critical[0] == critical[1]
    assert len(scripts[1]["sentences"]) < len(scripts[0]["sentences"])
    assert 200_000 < (await receipt(engine, revision)).duration_ms <= 300_000


async def test_what_is_too_long_after_its_one_shortening_is_kept_as_a_draft(engine, tmp_path):
    """AUD-3: nothing critical is cut, nothing is published, and the person is asked for a narrower question."""
    at = bench(engine, tmp_path, audio=AudioLimits(max_voice_bytes=2_000))
    revision = await at.submit(TEXT, QUESTION)
    await at.work()
    view = await receipt(engine, revision)
    assert (view.run_state, view.revision_state) == ("SUCCEEDED", "HELD")
    assert state_of(view) == "held"
    assert await one(engine, "SELECT state FROM episode") == ("OPEN",)
    assert await scalar(engine, "SELECT count(*) FROM outbox_message WHERE kind = 'voice'") == 0


async def test_speech_of_an_unlikely_pace_is_not_published(engine, tmp_path):
    """TTS-4."""
    at = bench(engine, tmp_path, audio=AudioLimits(min_s_per_char=0.3))
    await at.submit(TEXT, QUESTION)
    await at.work()
    assert await one(engine, "SELECT state, error_reason FROM generation_run") == ("FAILED", "audio.suspect_segment")
    assert await one(engine, "SELECT state FROM episode") == ("OPEN",)


async def test_cancelling_while_it_speaks_stops_soon_and_keeps_what_is_done(engine, tmp_path):
    at = bench(engine, tmp_path, tts=DyingSynthesizer(hold=1))
    revision = await at.submit(TEXT, QUESTION)
    owner, _ = await owner_and_chat(engine)
    worker = asyncio.create_task(at.work(until="SELECT state = 'CANCELLED' FROM generation_run"))
    await asyncio.wait_for(at.tts.reached.wait(), 30)
    async with transaction(engine) as tx:
        assert await cancel_revision(tx, revision_id=revision, owner_id=owner)
    await worker
    assert await one(engine, "SELECT state FROM episode_revision") == ("SCRIPT_READY",)
    async with transaction(engine) as tx:
        again = await ask(
            tx, owner_id=owner, revision_id=revision, question=QUESTION, by="person", settings={}, now=at.clock.now()
        )
    await at.work()
    assert again != revision
    assert await scalar(engine, "SELECT published_revision_id FROM episode") == again
    assert len(at.parser.calls) == 1


async def test_a_worker_that_lost_its_lease_writes_nothing_more(engine, tmp_path):
    """RUN-4: slow is not dead, but late is late."""
    at = bench(engine, tmp_path, tts=DyingSynthesizer(hold=1))
    await at.submit(TEXT, QUESTION)
    loop = at.loop()
    slow = asyncio.create_task(loop.run(concurrency=1))
    await asyncio.wait_for(at.tts.reached.wait(), 30)
    run = await scalar(engine, "SELECT id FROM generation_run")
    await execute(engine, "UPDATE generation_run SET fence = fence + 1, holder = 'other' WHERE id = :id", id=run)
    await lapse(engine, run)
    await at.work(until="SELECT state = 'SUCCEEDED' FROM generation_run")
    loop.stopping.set()
    await slow
    fences = [f for (f,) in await rows(engine, "SELECT fence FROM run_event WHERE run_id = :id ORDER BY seq", id=run)]
    assert fences == sorted(fences), "a stale attempt wrote after its successor"
    assert await scalar(engine, "SELECT count(*) FROM outbox_message WHERE kind = 'voice'") == 1


async def test_the_same_text_again_is_read_found_and_spoken_only_once(at, engine):
    """SRC-1, SRC-3, RUN-8: two sources, one version, one set of artefacts."""
    first, second = await at.submit(TEXT, QUESTION), await at.submit(TEXT, QUESTION)
    await at.work()
    assert {s for (s,) in await rows(engine, "SELECT state FROM generation_run")} == {"SUCCEEDED"}
    assert await scalar(engine, "SELECT count(*) FROM source_version") == 1
    audio = await rows(
        engine, "SELECT DISTINCT audio_artifact_id FROM episode_revision WHERE id IN (:a, :b)", a=first, b=second
    )
    assert len(audio) == 1
    assert await scalar(engine, "SELECT count(DISTINCT published_revision_id) FROM episode") == 2


async def test_without_a_question_it_reads_waits_and_then_tells_the_points(at, engine):
    """CHT-9."""
    await at.submit(TEXT, None, default_after_s=3600)
    await at.work()
    assert await rows(engine, "SELECT kind, state FROM generation_run ORDER BY kind") == [
        ("GENERATE", "DEFERRED"),
        ("INTAKE", "SUCCEEDED"),
    ]
    await execute(engine, "UPDATE generation_run SET next_due_at = now() WHERE state = 'DEFERRED'")
    await promote_questions(at.tools, default_question="讲要点")
    await at.work()
    assert await one(engine, "SELECT question, question_by, state FROM episode_revision") == (
        "讲要点",
        "default",
        "AUDIO_READY",
    )
    assert len(at.parser.calls) == 1


async def test_vectors_come_after_words_and_then_the_version_is_dense(at, engine):
    """CHK-3: a run may start at LEXICAL."""
    await at.submit(TEXT, None, default_after_s=3600)
    await at.work()
    assert await one(engine, "SELECT index_state FROM source_version") == ("LEXICAL",)
    while await index_one_batch(at.tools):
        pass
    assert await one(engine, "SELECT index_state FROM source_version") == ("DENSE",)
    assert await scalar(engine, "SELECT count(DISTINCT config) FROM chunk_embedding") == 1
