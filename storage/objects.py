"""What every store of bytes does alike (rule AUD-4): names are hashes that we compute, and are written once."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import obstore
from obstore.exceptions import AlreadyExistsError

from pipeline.domain.errors import MissingRow
from pipeline.ports.blobs import Blob, is_key, key_of


async def sha256_of(data: bytes) -> str:
    """Hex, computed beside the event loop: a PDF may have 50 MB."""
    return await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())


class HashedObjects:
    """Objects under ``key_of`` in a store that obstore reaches. A subclass says what makes a new one durable.

    Args:
        store: obstore's own.
    """

    def __init__(self, store: Any) -> None:
        self._store = store

    async def put(self, data: bytes, *, owner_id: int, generation: int = 1, sha256: str | None = None) -> Blob:
        """As of ``ObjectStore``."""
        digest = sha256 or await sha256_of(data)
        key = key_of(owner_id, digest, generation)
        try:
            with self._said(f"take {len(data)} bytes"):
                await obstore.put_async(self._store, key, data, mode="create")
        except AlreadyExistsError:
            pass  # the name is the content: whoever wrote it wrote these bytes
        else:
            await self._settle(key)
        return Blob(key=key, sha256=digest, size_bytes=len(data))

    async def get(self, key: str) -> bytes:
        if not is_key(key):
            raise MissingRow(f"{key!r} is no key of stored bytes")
        try:
            with self._said(f"give {key!r}"):
                found = await obstore.get_async(self._store, key)
                return bytes(await found.bytes_async())
        except FileNotFoundError:
            raise MissingRow(f"no stored bytes under {key!r}") from None

    async def remove(self, key: str) -> None:
        try:
            with self._said(f"remove {key!r}"):
                await obstore.delete_async(self._store, key)
        except FileNotFoundError:
            return

    async def _settle(self, key: str) -> None:
        """Make a new object durable, where its store does not."""

    def _said(self, what: str) -> AbstractContextManager[None]:
        """Around each request: a store's own errors become the product's. ``what`` was asked of it."""
        return nullcontext()
