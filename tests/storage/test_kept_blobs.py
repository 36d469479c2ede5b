"""AUD-4: bytes are collected only when nothing names them, whoever dies or sleeps between any two steps."""

from __future__ import annotations

import asyncio
import json
import random

import pytest

from pipeline.domain.errors import MissingRow
from pipeline.ports.blobs import key_of
from storage.blobs import FolderBlobs
from storage.kept_blobs import KeptBlobs
from storage.transactions.stage.save_artifact import keep as keep_artifact
from storage.tx import transaction
from tests.support.rows import execute, owner_and_chat, rows, scalar, submitted

DAY_S = 86_400.0


class Killed(BaseException):
    """As a kill -9 at a crash point: nothing after it is done."""


class Store(FolderBlobs):
    """A folder that notes what is removed, and lets a test do something right before."""

    def __init__(self, root) -> None:
        super().__init__(root)
        self.removed: list[str] = []
        self.before_remove = None

    async def remove(self, key: str) -> None:
        if self.before_remove is not None:
            await self.before_remove(key)
        await super().remove(key)
        self.removed.append(key)


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "blobs")


def kept(engine, store, *, dies_at: str = "") -> KeptBlobs:
    def crash(point: str) -> None:
        if point == dies_at:
            raise Killed(point)

    return KeptBlobs(engine, store, crash=crash)


@pytest.fixture
async def blobs(engine, store) -> KeptBlobs:
    await owner_and_chat(engine)
    return kept(engine, store)


async def age(engine, key: str = "", hours: float = 25) -> None:
    await execute(
        engine,
        "UPDATE stored_blob SET seen_at = seen_at - make_interval(hours => 1) * :h WHERE key = :key OR :key = ''",
        key=key,
        h=hours,
    )


async def by_source(engine, key):
    await submitted(engine, blob_key=key)


async def by_capture(engine, key):
    await submitted(engine)
    await execute(
        engine,
        "INSERT INTO source_capture (source_id, owner_id, way, input_type, blob_key, raw_sha256, size_bytes,"
        " captured_at) SELECT id, owner_id, 'fetched', 'html', :key, 'x', 1, now() FROM source",
        key=key,
    )


async def by_version(engine, key):
    await execute(
        engine,
        "INSERT INTO source_version (owner_id, raw_sha256, blob_key, reader, extractor, title, text, text_sha256, offsets,"
        " blocks, page_starts, quality, language, removed, notes, fetched_at)"
        " SELECT id, 'x', :key, 'r', 'e', '', 't', 'x', '[]', '[]', '[]', 'FULL', 'zh', '[]', '[]', now() FROM owner",
        key=key,
    )


async def by_asset(engine, key):
    await by_version(engine, key_of(1, "e" * 64))
    await execute(
        engine,
        "INSERT INTO source_asset (version_id, owner_id, seq, at, address, alt, state, blob_key)"
        " SELECT id, owner_id, 0, 0, '', '', 'stored', :key FROM source_version",
        key=key,
    )


async def by_speech(engine, key):
    await artefact(engine, "speech", {"key": key, "rate": 24_000})


async def by_audio(engine, key):
    await artefact(engine, "audio", {"mp3": {"key": key_of(1, "d" * 64)}, "ogg": {"key": key, "bytes": 1}})


async def artefact(engine, kind, content):
    owner, _ = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await keep_artifact(tx, owner_id=owner, kind=kind, fingerprint="f", content=content, run_id=None)


async def by_update(engine, key):
    _, chat = await owner_and_chat(engine)
    await execute(
        engine,
        "INSERT INTO inbox_update (channel, external_id, chat_id, payload, payload_sha256)"
        " VALUES ('web', 'u', :chat, cast(:payload AS jsonb), 'x')",
        chat=chat,
        payload=json.dumps({"type": "message", "files": [{"blob_key": key}]}),
    )


async def by_file(engine, key):
    await by_update(engine, key_of(1, "f" * 64))
    await execute(
        engine,
        "INSERT INTO inbox_file (update_id, number, name, state, blob_key, sha256, size_bytes)"
        " SELECT id, 0, 'a.pdf', 'kept', :key, 'x', 1 FROM inbox_update",
        key=key,
    )


NAMED_BY = [by_source, by_capture, by_version, by_asset, by_speech, by_audio, by_update, by_file]


@pytest.mark.parametrize("name", NAMED_BY, ids=lambda f: f.__name__)
async def test_what_a_row_names_stays_however_old(engine, blobs, store, name):
    blob, orphan = await blobs.put(b"named", owner_id=1), await blobs.put(b"orphan", owner_id=1)
    await name(engine, blob.key)
    await age(engine)
    assert await blobs.unnamed(grace_s=DAY_S) == [orphan.key]
    assert await blobs.collect(grace_s=DAY_S) == 1
    assert store.removed == [orphan.key]
    assert await blobs.get(blob.key) == b"named"
    with pytest.raises(MissingRow):
        await blobs.get(orphan.key)


def test_every_column_that_may_name_bytes_is_looked_at():
    """A new one must be added to storage/transactions/blob/collect.py and to the cases above."""
    from storage.tables.everything import metadata
    from storage.transactions.blob.collect import UNNAMED

    named = {t.name for t in metadata.tables.values() for c in t.columns if c.name in ("blob_key", "blob_keys")}
    assert named == {"source", "source_capture", "source_version", "source_asset", "stage_artifact", "inbox_file"}
    assert all(f"FROM {name} " in UNNAMED for name in named)


async def test_what_is_young_stays_and_a_new_put_makes_it_young_again(engine, blobs, store):
    """The grace is what a process may take between storing bytes and naming them."""
    blob = await blobs.put(b"a", owner_id=1)
    await age(engine, hours=23.9)
    assert await blobs.collect(grace_s=DAY_S) == 0
    await blobs.put(b"a", owner_id=1)
    await age(engine, hours=23.9)
    assert await blobs.collect(grace_s=DAY_S) == 0
    assert await blobs.get(blob.key) == b"a"


async def test_a_handled_update_names_nothing_any_more(engine, blobs):
    blob = await blobs.put(b"a", owner_id=1)
    await by_update(engine, blob.key)
    await execute(engine, "UPDATE inbox_update SET state = 'handled'")
    await age(engine)
    assert await blobs.collect(grace_s=DAY_S) == 1


async def test_a_death_between_row_and_bytes_costs_nothing(engine, blobs, store):
    with pytest.raises(Killed):
        await kept(engine, store, dies_at="blob_kept").put(b"a", owner_id=1)
    assert await scalar(engine, "SELECT count(*) FROM stored_blob") == 1
    blob = await blobs.put(b"a", owner_id=1)
    assert await blobs.get(blob.key) == b"a"
    assert await scalar(engine, "SELECT count(*) FROM stored_blob") == 1


@pytest.mark.parametrize("point", ["blob_dying", "blob_removed"])
async def test_a_collector_that_dies_is_continued_by_the_next(engine, blobs, store, point):
    blob = await blobs.put(b"a", owner_id=1)
    await age(engine)
    with pytest.raises(Killed):
        await kept(engine, store, dies_at=point).collect(grace_s=DAY_S)
    assert await scalar(engine, "SELECT state FROM stored_blob") == "dying"
    new = await blobs.put(b"a", owner_id=1)  # the same content comes back before the next collector
    await by_source(engine, new.key)
    assert await blobs.collect(grace_s=DAY_S) == 1
    assert new.key != blob.key
    assert await blobs.get(new.key) == b"a"
    assert await rows(engine, "SELECT generation, state FROM stored_blob ORDER BY generation") == [
        (1, "gone"),
        (2, "present"),
    ]


async def test_a_collector_that_sleeps_before_its_removal_harms_nothing_when_it_wakes(engine, blobs, store):
    """Another one finishes its work meanwhile, and the content is stored and named again: under another name."""
    blob = await blobs.put(b"a", owner_id=1)
    await age(engine)
    asleep, awake = asyncio.Event(), asyncio.Event()

    async def sleeps(key: str) -> None:
        if not asleep.is_set():
            asleep.set()
            await awake.wait()

    store.before_remove = sleeps
    late = asyncio.create_task(blobs.collect(grace_s=DAY_S))
    async with asyncio.timeout(10):
        await asleep.wait()
    assert await kept(engine, store).collect(grace_s=DAY_S) == 1
    again = await blobs.put(b"a", owner_id=1)
    await by_source(engine, again.key)
    awake.set()
    await late
    assert store.removed == [blob.key, blob.key]
    assert await blobs.get(again.key) == b"a"


async def test_a_put_and_a_collection_at_once_never_lose_what_is_named(engine, blobs, store):
    """Seeded: old orphans of a few contents are put and named again while collectors run over them."""
    random_ = random.Random(4)
    contents = [bytes([n]) * 10 for n in range(8)]
    named: dict[str, bytes] = {}

    async def putter(data: bytes) -> None:
        await asyncio.sleep(random_.random() * 0.05)
        blob = await blobs.put(data, owner_id=1)
        await asyncio.sleep(random_.random() * 0.02)
        await by_source(engine, blob.key)
        named[blob.key] = data

    for _ in range(5):
        for data in contents:
            await blobs.put(data, owner_id=1)
        await age(engine)
        chosen = random_.sample(contents, 4)
        await asyncio.gather(
            *(putter(data) for data in chosen), *(kept(engine, store).collect(grace_s=DAY_S) for _ in range(3))
        )
        for key, data in named.items():
            assert await blobs.get(key) == data
    assert store.removed, "nothing was collected: nothing was tested"
    assert not set(store.removed) & set(named)


async def test_many_puts_of_one_content_are_one_object(engine, blobs):
    made = await asyncio.gather(*(blobs.put(b"x" * 1000, owner_id=1) for _ in range(16)))
    assert len({blob.key for blob in made}) == 1
    assert await scalar(engine, "SELECT count(*) FROM stored_blob") == 1
