"""Bytes in memory behind the BlobStore port, counting what was put."""

from __future__ import annotations

import hashlib

from pipeline.domain.errors import MissingRow
from pipeline.ports.blobs import Blob


class MemoryBlobs:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.puts = 0

    async def put(self, data: bytes, *, owner_id: int) -> Blob:
        self.puts += 1
        digest = hashlib.sha256(data).hexdigest()
        key = f"o/{owner_id}/{digest}"
        self.kept.setdefault(key, data)
        return Blob(key, digest, len(data))

    async def get(self, key: str) -> bytes:
        if key not in self.kept:
            raise MissingRow(f"no blob {key!r}")
        return self.kept[key]
