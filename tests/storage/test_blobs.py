"""AUD-4: bytes by their own hash, create-only, on disk before the key is handed out."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from pipeline.domain.errors import MissingRow
from storage.blobs import FolderBlobs


async def test_the_same_bytes_are_one_object_and_owners_do_not_share(tmp_path):
    blobs = FolderBlobs(tmp_path / "blobs")
    first, again, other = [await blobs.put(b"abc", owner_id=o) for o in (1, 1, 2)]
    assert first == again
    assert other.key != first.key
    assert first.sha256 == hashlib.sha256(b"abc").hexdigest()
    assert first.sha256 in first.key
    assert await blobs.get(first.key) == b"abc"


async def test_many_writers_of_one_object_all_succeed(tmp_path):
    blobs = FolderBlobs(tmp_path / "blobs")
    made = await asyncio.gather(*(blobs.put(b"x" * 100_000, owner_id=1) for _ in range(16)))
    assert len({blob.key for blob in made}) == 1
    assert len(await blobs.get(made[0].key)) == 100_000


async def test_what_is_not_there_or_not_inside_is_missing(tmp_path):
    (tmp_path / "secret").write_bytes(b"s")
    blobs = FolderBlobs(tmp_path / "blobs")
    with pytest.raises(MissingRow):
        await blobs.get("o/1/aa/nothing")
    with pytest.raises(MissingRow):
        blobs.path("../secret")
