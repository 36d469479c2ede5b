"""Content-addressed bytes in a bucket of an S3-compatible service (rule AUD-4): create-only, hashed by us."""

from __future__ import annotations

import asyncio
import hashlib

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from pipeline.domain.errors import MissingRow
from pipeline.ports.blobs import Blob, is_key, key_of


class StoreAway(OSError):
    """The object store is away, full or refuses us; a retry may mend it."""


class S3Blobs:
    """Objects under ``o/<owner>/…`` of one bucket, which must exist.

    The service must know conditional writes (``If-None-Match: *``): without them two writers of one key both write.
    That is harmless here, because a key is the hash of its bytes.

    Args:
        endpoint: address of a service that is not Amazon's; "" for Amazon's own.
    """

    def __init__(self, bucket: str, *, endpoint: str, region: str, key: str, secret: str) -> None:
        self._store = S3Store(
            bucket,
            region=region,
            access_key_id=key,
            secret_access_key=secret,
            conditional_put="etag",
            endpoint=endpoint or None,
            virtual_hosted_style_request=not endpoint,
            client_options={"allow_http": endpoint.startswith("http://"), "timeout": "120s"},
            retry_config={"max_retries": 3},
        )

    async def put(self, data: bytes, *, owner_id: int, generation: int = 1) -> Blob:
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        key = key_of(owner_id, digest, generation)
        try:
            await obstore.put_async(self._store, key, data, mode="create")
        except AlreadyExistsError:
            pass  # the name is the content: whoever wrote it wrote these bytes
        except BaseError as error:
            raise StoreAway(f"the object store did not take {len(data)} bytes: {type(error).__name__}") from None
        return Blob(key=key, sha256=digest, size_bytes=len(data))

    async def get(self, key: str) -> bytes:
        if not is_key(key):
            raise MissingRow(f"{key!r} is no key of stored bytes")
        try:
            found = await obstore.get_async(self._store, key)
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            raise MissingRow(f"no stored bytes under {key!r}") from None
        except BaseError as error:
            raise StoreAway(f"the object store did not give {key!r}: {type(error).__name__}") from None

    async def remove(self, key: str) -> None:
        try:
            await obstore.delete_async(self._store, key)
        except FileNotFoundError:
            return
        except BaseError as error:
            raise StoreAway(f"the object store did not remove {key!r}: {type(error).__name__}") from None
