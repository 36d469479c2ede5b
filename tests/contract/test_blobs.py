"""Every store of bytes keeps the port's promises (AUD-4): a folder, and a bucket on a server with S3's semantics."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import socket
from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

from pipeline.domain.errors import MissingRow
from pipeline.ports.blobs import ObjectStore, key_of
from storage.blobs import FolderBlobs
from storage.blobs_s3 import S3Blobs

LARGE = 12 * 1024 * 1024  # beyond what one part of an upload holds


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Address of a running server with one bucket."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    client = boto3.client(
        "s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id="k", aws_secret_access_key="s"
    )
    client.create_bucket(Bucket="earmark")
    client.close()
    yield address
    server.stop()


def on_s3(address: str) -> S3Blobs:
    return S3Blobs("earmark", endpoint=address, region="us-east-1", key="k", secret="s")


@pytest.fixture(params=["folder", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path) -> ObjectStore:
    if request.param == "folder":
        return FolderBlobs(tmp_path / "blobs")
    return on_s3(request.getfixturevalue("bucket"))


async def test_the_same_bytes_are_one_object_and_owners_do_not_share(blobs: ObjectStore):
    first, again, other = [await blobs.put(b"abc", owner_id=o) for o in (1, 1, 2)]
    assert first == again
    assert first.sha256 == hashlib.sha256(b"abc").hexdigest()
    assert (first.key, other.key) == (key_of(1, first.sha256), key_of(2, first.sha256))
    assert first.size_bytes == 3
    await blobs.remove(other.key)
    assert await blobs.get(first.key) == b"abc"


async def test_many_writers_of_one_object_all_succeed(blobs: ObjectStore):
    data = b"x" * 100_000
    made = await asyncio.gather(*(blobs.put(data, owner_id=3) for _ in range(16)))
    assert {blob.key for blob in made} == {key_of(3, hashlib.sha256(data).hexdigest())}
    assert await blobs.get(made[0].key) == data


@pytest.mark.parametrize("size", [0, 1, LARGE])
async def test_any_size_comes_back_as_it_went(blobs: ObjectStore, size: int):
    data = bytes(range(256)) * (size // 256) + b"z" * (size % 256)
    blob = await blobs.put(data, owner_id=4)
    assert blob.size_bytes == size
    assert await blobs.get(blob.key) == data
    assert (await blobs.put(data, owner_id=4)).key == blob.key


@pytest.mark.parametrize(
    "key", [key_of(1, "0" * 64), "o/1/aa/nothing", "../secret", "o/../../secret", "/etc/hostname", ""]
)
async def test_what_is_not_there_or_not_inside_is_missing(blobs: ObjectStore, key: str, tmp_path):
    (tmp_path / "secret").write_bytes(b"s")
    with pytest.raises(MissingRow):
        await blobs.get(key)


async def test_what_is_removed_is_gone_may_be_removed_again_and_written_anew(blobs: ObjectStore):
    blob = await blobs.put(b"once", owner_id=5)
    await blobs.remove(blob.key)
    await blobs.remove(blob.key)
    with pytest.raises(MissingRow):
        await blobs.get(blob.key)
    assert await blobs.put(b"once", owner_id=5) == blob
    assert await blobs.get(blob.key) == b"once"


async def test_a_bucket_that_is_away_is_trouble_and_not_a_missing_object():
    """RUN-4: trouble of the store is retried; a missing object is a defect."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        away = on_s3(f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(OSError, match="object store"):
            await away.get(key_of(1, "0" * 64))
