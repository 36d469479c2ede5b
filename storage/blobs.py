"""Content-addressed bytes in a folder (rule AUD-4): create-only, hashed by us, on disk before we say so.

obstore's LocalStore links a finished temporary file into place, so a name appears whole or not at all; it does not
fsync, so the file and its folder are synced here before the key is handed out.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from pathlib import Path

import obstore
from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore

from pipeline.domain.errors import MissingRow
from pipeline.ports.blobs import Blob, is_key, key_of


class FolderBlobs:
    """``o/<owner>/<first two hex digits>/<sha256>`` under ``root``."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._root = root
        self._store = LocalStore(str(root))

    async def put(self, data: bytes, *, owner_id: int, generation: int = 1) -> Blob:
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        key = key_of(owner_id, digest, generation)
        try:
            await obstore.put_async(self._store, key, data, mode="create")
        except AlreadyExistsError:
            pass  # the name is the content: whoever wrote it wrote these bytes
        else:
            await asyncio.to_thread(self._sync, key)
        return Blob(key=key, sha256=digest, size_bytes=len(data))

    async def get(self, key: str) -> bytes:
        if not is_key(key):
            raise MissingRow(f"{key!r} is no key of stored bytes")
        try:
            found = await obstore.get_async(self._store, key)
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            raise MissingRow(f"no stored bytes under {key!r}") from None

    async def remove(self, key: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            await obstore.delete_async(self._store, key)

    def _sync(self, key: str) -> None:
        path = self._root / key
        with path.open("rb") as file:
            os.fsync(file.fileno())
        folder = path.parent
        while folder != self._root.parent:
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            folder = folder.parent
