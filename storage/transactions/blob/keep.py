"""Say that bytes are about to lie in the store, before they do (rule AUD-4).

Locks: one stored_blob row, the newest of its content; inserts stored_blob (parent: owner). No other lock.
Idempotent: ``(owner, sha256, generation)``.
"""

from __future__ import annotations

from pipeline.ports.blobs import key_of
from storage.tx import Tx

NEWEST = """
SELECT id, generation, state FROM stored_blob WHERE owner_id = :owner AND sha256 = :sha256
 ORDER BY generation DESC LIMIT 1 FOR NO KEY UPDATE
"""
SEEN = "UPDATE stored_blob SET seen_at = clock_timestamp() WHERE id = :id"
INSERT = """
INSERT INTO stored_blob (key, owner_id, sha256, generation) VALUES (:key, :owner, :sha256, :generation)
ON CONFLICT DO NOTHING
"""


async def keep(tx: Tx, *, owner_id: int, sha256: str) -> int | None:
    """The generation under which this content is to be written; None: another writer came first, ask again.

    A name that a collector has given up is left to it, however long it takes, and the content gets the next one.
    """
    newest = await tx.row(NEWEST, owner=owner_id, sha256=sha256)
    if newest is not None and newest["state"] == "present":
        await tx.run(SEEN, id=newest["id"])
        return int(newest["generation"])
    generation = 1 if newest is None else int(newest["generation"]) + 1
    key = key_of(owner_id, sha256, generation)
    made = await tx.run(INSERT, key=key, owner=owner_id, sha256=sha256, generation=generation)
    return generation if made else None
