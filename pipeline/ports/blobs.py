"""Bytes by name, written once (rule AUD-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Blob:
    key: str  # "o/<owner>/<sha256>"
    sha256: str  # hex, computed by us
    size_bytes: int


class BlobStore(Protocol):
    async def put(self, data: bytes, *, owner_id: int) -> Blob:
        """Store bytes under owner + SHA-256, durably; the same bytes twice are one object."""
        ...

    async def get(self, key: str) -> bytes:
        """Raises MissingRow when there is no such object."""
        ...
