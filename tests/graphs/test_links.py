"""A link's way: fetched, read, made into a note; refused, supplied by the person, looked at again (rules SRC)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from pipeline.commands.episode import Asking, Upload, fetch_again, retry, supply_source
from pipeline.domain.errors import FetchFailed, InputRejected
from pipeline.domain.source import InputType
from pipeline.ports.fetch import Fetched
from pipeline.worker.background import fetch_one_picture
from storage.queries.episode.receipt import receipt
from storage.queries.episode.spoken import spoken
from storage.queries.run.refresh import refresh_view
from storage.transactions.source.assets import claim_asset
from storage.tx import transaction
from tests.support.house import PlainParser, bench
from tests.support.rows import owner_and_chat, rows, scalar

PAGE = "https://example.org/bridge"
SENTENCES = (
    "老桥在三月十二日关闭，因为桥墩上发现了两条裂缝。",
    "检查人员用了四天时间，在水下拍了六十张照片。",
    "裂缝一共长一点七米，最深的地方有三厘米。",
    "修理的费用由县里出，一共是四十二万元。",
    "修理期间，居民要从上游的新桥绕行，每次多走六公里。",
    "学校把上课时间推迟了二十分钟，让绕行的孩子赶得上。",
)
QUESTION = "老桥为什么关闭？"


def page(*sentences: str, beside: str = "") -> bytes:
    body = "".join(f"<p>{sentence}</p>" for sentence in sentences or SENTENCES)
    return f"<html><head><title>老桥</title></head><body><article><h1>老桥</h1>{body}</article>{beside}</body></html>".encode()


@pytest.fixture
def at(engine, tmp_path):
    return bench(engine, tmp_path, parser=PlainParser())


def answer(data: bytes, **changes) -> Fetched:
    return replace(Fetched(PAGE, PAGE, (), 200, "text/html", None, data, "none"), **changes)


async def asked(at, verb, **values):
    owner, _ = await owner_and_chat(at.engine)
    async with transaction(at.engine) as tx:
        return await verb(tx, owner_id=owner, now=at.clock.now(), **values)


async def test_a_link_and_a_question_become_a_published_note(at, engine):
    """SRC-1, SRC-3: the source keeps its address, the capture how it came, the version what was read."""
    at.fetcher.pages[PAGE] = page()
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    view = await receipt(engine, revision)
    assert view.run_state == "SUCCEEDED"
    assert {s.stage: s.status for s in view.stages}["fetch"] == "done"
    assert (view.input_type, view.origin, view.title) == ("html", PAGE, "老桥")
    owner, _ = await owner_and_chat(engine)
    made = await spoken(engine, revision, owner_id=owner)
    assert any("裂缝" in s.text for s in made.sentences)
    captures = await rows(engine, "SELECT way, address, status, robots, version_id FROM source_capture")
    assert captures == [("fetched", PAGE, 200, "none", made.source.version_id)]


async def test_a_fetch_that_may_work_later_is_tried_again_and_one_that_may_not_is_told(at, engine):
    """MDL-1: transport failures only."""
    at.fetcher.pages[PAGE] = FetchFailed("example.org", "timeout", again=True)
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work(until="SELECT attempts = 4 AND state = 'FAILED' FROM generation_run")
    assert (await receipt(engine, revision)).error_reason == "fetch.timeout"
    at.fetcher.pages[PAGE] = FetchFailed("example.org", "status", status=404)
    second = await at.submit_link(PAGE, QUESTION)
    await at.work()
    gone = await receipt(engine, second)
    assert (gone.error_reason, gone.error_values, gone.attempts) == (
        "fetch.status",
        {"host": "example.org", "status": 404},
        1,
    )
    assert {s.stage: s.status for s in gone.stages}["fetch"] == "bad"


@pytest.mark.parametrize(
    ("data", "media_type", "reason", "kind"),
    [
        (b"\0\0\0\x20ftypisom", "video/mp4", "wrong_kind", "video"),
        (b"<?xml version='1.0'?><rss version='2.0'></rss>", "application/rss+xml", "wrong_kind", "feed"),
        (b"ID3....", "audio/mpeg", "wrong_kind", "audio"),
        (b"", "text/html", "empty_file", None),
    ],
)
async def test_what_lies_there_goes_to_its_kind_or_is_named(at, engine, data, media_type, reason, kind):
    """SRC-6, SRC-9."""
    at.fetcher.pages[PAGE] = answer(data, media_type=media_type)
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    view = await receipt(engine, revision)
    assert (view.error_reason, view.error_values.get("kind")) == (reason, kind)


async def test_the_same_page_saved_twice_is_two_sources_and_one_version(at, engine):
    """SRC-1, SRC-3, SRC-7: a counter has moved on and the address carries a campaign; the text is the same."""
    at.fetcher.pages[PAGE] = page(beside="<p>阅读 12</p>")
    at.fetcher.pages[PAGE + "?utm_source=x"] = page(beside="<p>阅读 900</p>")
    await at.submit_link(PAGE, QUESTION)
    await at.work()
    await at.submit_link(PAGE + "?utm_source=x", "费用由谁出？")
    await at.work()
    assert await scalar(engine, "SELECT count(*) FROM source") == 2
    assert await scalar(engine, "SELECT count(*) FROM source_version") == 1
    assert await scalar(engine, "SELECT count(*) FROM source_capture") == 2


async def test_what_the_person_gives_continues_the_same_source(at, engine):
    """SRC-5: the address and the question stay; nothing similar is fetched instead."""
    at.fetcher.pages[PAGE] = FetchFailed("example.org", "status", status=403)
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    owner, _ = await owner_and_chat(engine)
    blob = await at.tools.blobs.put("\n".join(SENTENCES).encode(), owner_id=owner)
    upload = Upload("", InputType.PASTE, blob.key, blob.sha256, blob.size_bytes)
    assert await asked(at, supply_source, upload=upload, revision_id=revision, way="pasted")
    await at.work()
    view = await receipt(engine, revision)
    assert (view.run_state, view.question, view.origin) == ("SUCCEEDED", QUESTION, PAGE)
    assert await rows(engine, "SELECT way FROM source_capture") == [("pasted",)]
    assert len(at.fetcher.calls) == 1
    assert not await asked(at, supply_source, upload=upload, revision_id=revision, way="pasted")  # nothing fails now


async def test_an_intake_that_failed_before_the_question_goes_on_with_what_is_given(at, engine):
    at.fetcher.pages[PAGE] = FetchFailed("example.org", "dns")
    revision = await at.submit_link(PAGE, None)
    await at.work()
    assert (await receipt(engine, revision)).run_state == "FAILED"
    owner, _ = await owner_and_chat(engine)
    blob = await at.tools.blobs.put("\n".join(SENTENCES).encode(), owner_id=owner)
    upload = Upload("", InputType.PASTE, blob.key, blob.sha256, blob.size_bytes)
    assert await asked(at, supply_source, upload=upload, revision_id=revision, way="pasted")
    await at.work()
    view = await receipt(engine, revision)
    assert (view.run_state, view.question) == ("DEFERRED", None)  # read, and waiting for its question
    assert {s.stage: s.status for s in view.stages}["split"] == "done"


async def refreshed(at, revision):
    assert await asked(
        at, fetch_again, revision_id=revision, request_key=f"r{len(at.fetcher.calls)}", asking=Asking(1, {})
    )
    await at.work()
    run = await scalar(at.engine, "SELECT max(id) FROM generation_run WHERE kind = 'REFRESH'")
    return await refresh_view(at.engine, run)


async def test_a_page_that_did_not_change_stays_the_version_it_was(at, engine):
    at.fetcher.pages[PAGE] = page(beside="<p>阅读 12</p>")
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    at.fetcher.pages[PAGE] = page(beside="<p>阅读 77</p>")
    assert (await refreshed(at, revision)).result == "same"
    assert await scalar(engine, "SELECT count(*) FROM source_version") == 1
    assert not (await receipt(engine, revision)).outdated


async def test_a_page_that_changed_is_a_new_version_and_the_finished_note_says_so(at, engine):
    """SRC-3, PUB-3: the note stays what it is, and says that its page has changed."""
    at.fetcher.pages[PAGE] = page()
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    at.fetcher.pages[PAGE] = page(*SENTENCES, "县里后来说，老桥六月一日才会重新开放。")
    result = await refreshed(at, revision)
    assert (result.result, result.came, result.went) == ("changed", 1, 0)
    view = await receipt(engine, revision)
    assert view.outdated
    owner, _ = await owner_and_chat(engine)
    made = await spoken(engine, revision, owner_id=owner)
    assert made.source.outdated
    assert "六月一日" not in made.source.text
    assert await scalar(
        engine, "SELECT text LIKE '%六月一日%' FROM source_version v JOIN source s ON s.version_id = v.id"
    )
    waiting = "SELECT count(*) FROM outbox_message WHERE kind = 'receipt' AND subject_id = :r AND state = 'queued'"
    assert await scalar(engine, waiting, r=revision) == 1


async def test_a_page_that_reads_differently_every_time_is_not_taken_for_changed(at, engine):
    """Pitfall W15: confirmed by a second look."""
    at.fetcher.pages[PAGE] = page()
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()

    class Flapping(dict):
        turn = 0

        def get(self, key, default=None):
            self.turn += 1
            return page(*SENTENCES, f"今天推荐第{self.turn}号栏目，供读者参考。")

    at.fetcher.pages = Flapping()
    assert (await refreshed(at, revision)).result == "unsteady"
    assert not (await receipt(engine, revision)).outdated


async def test_a_refresh_that_cannot_look_leaves_everything_as_it_is(at, engine):
    at.fetcher.pages[PAGE] = page()
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    at.fetcher.pages[PAGE] = FetchFailed("example.org", "status", status=404)
    view = await refreshed(at, revision)
    assert (view.result, view.state, view.error_reason) == (None, "FAILED", "fetch.status")
    assert (await receipt(engine, revision)).run_state == "SUCCEEDED"
    assert not await asked(at, retry, revision_id=revision)  # the note itself had not failed


async def test_pictures_of_a_page_are_saved_and_each_fails_alone(at, engine):
    """W1, W2, W10: after the run, row first; a missing picture costs itself."""
    images = "<p>图一<img data-src='https://img.example.org/a.png' width=600 height=400></p><p>图二<img src='/b.png' width=600 height=400></p>"
    at.fetcher.pages[PAGE] = page().replace(b"</article>", images.encode() + b"</article>")
    at.fetcher.pages["https://img.example.org/a.png"] = answer(b"\x89PNG\r\n\x1a\n" + b"0" * 40, media_type="image/png")
    await at.submit_link(PAGE, QUESTION)
    await at.work()
    wanted = await rows(engine, "SELECT address, state FROM source_asset ORDER BY seq")
    assert wanted == [("https://img.example.org/a.png", "waiting"), ("https://example.org/b.png", "waiting")]
    while await fetch_one_picture(at.tools):
        pass
    assert await rows(engine, "SELECT state, media_type, tries FROM source_asset ORDER BY seq") == [
        ("stored", "image/png", 1),
        ("failed", None, 1),
    ]
    key = await scalar(engine, "SELECT blob_key FROM source_asset WHERE state = 'stored'")
    assert (await at.tools.blobs.get(key)).startswith(b"\x89PNG")


async def test_a_picture_that_ends_whoever_fetches_it_is_given_up(at, engine):
    """W10, RUN-4: three deaths are enough; it does not come up for ever."""
    at.fetcher.pages[PAGE] = page().replace(b"</article>", b"<p><img src='/b.png' width=600 height=400></p></article>")
    await at.submit_link(PAGE, QUESTION)
    await at.work()
    for tries in (1, 2, 3):
        at.clock.ahead += timedelta(minutes=3)
        async with transaction(engine) as tx:
            assert (await claim_asset(tx, now=at.clock.now()))["tries"] == tries  # and dies
    at.clock.ahead += timedelta(minutes=3)
    assert not await fetch_one_picture(at.tools)
    assert await rows(engine, "SELECT state, tries FROM source_asset") == [("failed", 3)]


async def test_a_refused_address_is_the_persons_to_hear(at, engine):
    """SRC-6: what a redirect or a name leads to is only known at the fetch."""
    at.fetcher.pages[PAGE] = InputRejected("address_refused", why="private", host="inside.example.org")
    revision = await at.submit_link(PAGE, QUESTION)
    await at.work()
    view = await receipt(engine, revision)
    assert (view.error_reason, view.error_values["why"], view.attempts) == ("address_refused", "private", 1)
