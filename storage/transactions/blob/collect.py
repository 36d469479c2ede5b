"""Give up bytes that no row names, in one statement that sees all rows at once (rule AUD-4).

Locks: stored_blob rows, skipped if somebody has them. No other lock.
Idempotent: by the state of the row; what was given up is removed by whoever comes next.
"""

from __future__ import annotations

from collections.abc import Sequence

from storage.tx import Row, Tx

# Everything that can name bytes. An update that was not handled yet names its files in its payload.
_OF = """
   FROM stored_blob b
  WHERE b.state = 'present' AND b.seen_at < clock_timestamp() - make_interval(secs => :grace_s)
    AND NOT EXISTS (SELECT 1 FROM source s WHERE s.blob_key = b.key)
    AND NOT EXISTS (SELECT 1 FROM source_capture c WHERE c.blob_key = b.key)
    AND NOT EXISTS (SELECT 1 FROM source_version v WHERE v.blob_key = b.key)
    AND NOT EXISTS (SELECT 1 FROM source_asset a WHERE a.blob_key = b.key)
    AND NOT EXISTS (SELECT 1 FROM stage_artifact t WHERE t.blob_keys @> ARRAY[b.key])
    AND NOT EXISTS (SELECT 1 FROM inbox_update u WHERE u.state <> 'handled' AND position(b.key IN u.payload::text) > 0)
    AND NOT EXISTS (SELECT 1 FROM inbox_file f JOIN inbox_update u ON u.id = f.update_id
                     WHERE f.blob_key = b.key AND u.state <> 'handled')
  ORDER BY b.seen_at, b.id LIMIT :limit
"""
UNNAMED = f"SELECT b.id, b.key {_OF}"
GIVE_UP = f"""
UPDATE stored_blob SET state = 'dying' WHERE id IN (SELECT b.id {_OF} FOR NO KEY UPDATE OF b SKIP LOCKED)
"""
DYING = "SELECT id, key FROM stored_blob WHERE state = 'dying' ORDER BY id LIMIT :limit"
GONE = "UPDATE stored_blob SET state = 'gone' WHERE id = :id AND state = 'dying'"


async def unnamed(tx: Tx, *, grace_s: float, limit: int) -> Sequence[Row]:
    """``id`` and ``key`` of what would be given up now."""
    return await tx.rows(UNNAMED, grace_s=grace_s, limit=limit)


async def give_up(tx: Tx, *, grace_s: float, limit: int) -> int:
    """Mark what no row names and nobody has put for ``grace_s`` as dying; how many."""
    return await tx.run(GIVE_UP, grace_s=grace_s, limit=limit)


async def dying(tx: Tx, *, limit: int) -> Sequence[Row]:
    """``id`` and ``key`` of what is given up and whose object may still be there, whoever gave it up."""
    return await tx.rows(DYING, limit=limit)


async def gone(tx: Tx, *, id: int) -> None:
    await tx.run(GONE, id=id)
