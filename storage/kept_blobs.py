"""A store of bytes with a row for everything in it, so that what nobody names can be removed safely (rule AUD-4).

Row first, bytes second: a crash in between leaves a row without bytes, which harms nobody. A row that names bytes is
written after the bytes, so a crash there leaves bytes that nobody names; they are given up after a grace time. The
grace time is what a process may take between storing bytes and committing the row that names them.

The order of a removal is: dying (one statement that sees every row), object removed, gone. A name that was given up is
never written again; the same content gets a new name. So a collector may be killed, or frozen for as long as it likes,
between any two steps, and what it removes at last is what nobody can have named since.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.ports.blobs import Blob, ObjectStore
from storage.objects import sha256_of
from storage.transactions.blob import collect, keep
from storage.tx import transaction

BATCH = 200


class KeptBlobs:
    """Implements pipeline/ports/blobs.BlobStore over a folder or a bucket.

    Args:
        crash: reached at ``blob_kept``, ``blob_dying`` and ``blob_removed``.
    """

    def __init__(self, engine: AsyncEngine, store: ObjectStore, *, crash: Callable[[str], None]) -> None:
        self._engine, self._store, self._crash = engine, store, crash

    async def put(self, data: bytes, *, owner_id: int) -> Blob:
        digest = await sha256_of(data)
        generation = None
        while generation is None:
            async with transaction(self._engine) as tx:
                generation = await keep.keep(tx, owner_id=owner_id, sha256=digest)
        self._crash("blob_kept")
        return await self._store.put(data, owner_id=owner_id, generation=generation, sha256=digest)

    async def get(self, key: str) -> bytes:
        return await self._store.get(key)

    async def unnamed(self, *, grace_s: float) -> list[str]:
        """Keys that a collection would remove now, at most one batch of them."""
        async with transaction(self._engine) as tx:
            return [row["key"] for row in await collect.unnamed(tx, grace_s=grace_s, limit=BATCH)]

    async def collect(self, *, grace_s: float) -> int:
        """Remove what no row names and nobody has put for ``grace_s``, and what was given up before; how many."""
        removed = 0
        while True:
            async with transaction(self._engine) as tx:
                await collect.give_up(tx, grace_s=grace_s, limit=BATCH)
            self._crash("blob_dying")
            async with transaction(self._engine) as tx:
                batch = await collect.dying(tx, limit=BATCH)
            for row in batch:
                await self._store.remove(row["key"])
                self._crash("blob_removed")
                async with transaction(self._engine) as tx:
                    await collect.gone(tx, id=row["id"])
            removed += len(batch)
            if len(batch) < BATCH:
                return removed
