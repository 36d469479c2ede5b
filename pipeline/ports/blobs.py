"""Bytes by name, written once (rule AUD-4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Blob:
    key: str  # key_of(owner, sha256, generation)
    sha256: str  # hex, computed by us
    size_bytes: int


def key_of(owner_id: int, sha256: str, generation: int = 1) -> str:
    """Where an owner's bytes lie, in every store: ``o/<owner>/<first two hex digits>/<sha256>``, then ``….2``.

    A name that was given up is never used again (storage/kept_blobs.py).
    """
    return f"o/{owner_id}/{sha256[:2]}/{sha256}" + (f".{generation}" if generation > 1 else "")


_KEY = re.compile(r"o/\d{1,19}/[0-9a-f]{2}/[0-9a-f]{64}(\.\d{1,9})?")


def is_key(key: str) -> bool:
    """Whether ``key`` is of that form: nothing else is looked for in a store, whatever a row or a message says."""
    return _KEY.fullmatch(key) is not None


class BlobStore(Protocol):
    async def put(self, data: bytes, *, owner_id: int) -> Blob:
        """Store bytes under owner + SHA-256, durably; the same bytes twice are one object.

        Raises:
            OSError: the store is away or full.
        """
        ...

    async def get(self, key: str) -> bytes:
        """Raises MissingRow when there is no such object, OSError when the store is away."""
        ...


class ObjectStore(Protocol):
    """A folder or a bucket. Only storage/kept_blobs.py removes."""

    async def put(self, data: bytes, *, owner_id: int, generation: int = 1, sha256: str | None = None) -> Blob:
        """As of BlobStore, under the name of this generation; create-only. ``sha256``: of ``data``, if known."""
        ...

    async def get(self, key: str) -> bytes: ...

    async def remove(self, key: str) -> None:
        """Remove an object; nothing happens when there is none. Raises OSError when the store is away."""
        ...
