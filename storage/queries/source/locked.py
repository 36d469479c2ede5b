"""The bytes behind a revision, for the person who knows their password."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

BYTES = """
SELECT s.blob_key, s.name FROM episode_revision v
  JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id
 WHERE v.id = :revision AND v.owner_id = :owner AND s.input_type = 'pdf' AND s.blob_key IS NOT NULL
"""


@dataclass(frozen=True)
class StoredFile:
    blob_key: str
    name: str


async def locked_bytes(engine: AsyncEngine, revision_id: int, *, owner_id: int) -> StoredFile | None:
    """The stored PDF; None when the owner's revision has none."""
    async with snapshot(engine) as tx:
        row = await tx.row(BYTES, revision=revision_id, owner=owner_id)
    return None if row is None else StoredFile(**row)
