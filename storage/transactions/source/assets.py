"""Pictures of a page, fetched one by one after it was read; each fails alone (pitfall W10).

Locks: source_asset rows that are given up; one row to fetch, skipped if somebody has it.
Idempotent: a claim moves ``due_at`` on, so that a picture whose fetcher died is tried again later.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from storage.tx import Row, Tx, storable

MAX_TRIES = 3
_LEASE = timedelta(minutes=2)
# A picture whose fetcher dies each time would otherwise be fetched for ever.
SPENT = """
UPDATE source_asset SET state = 'failed', error = 'whoever fetched it died each time'
 WHERE state = 'waiting' AND due_at <= :now AND tries >= :max_tries
"""
CLAIM = """
UPDATE source_asset SET tries = tries + 1, due_at = :until
 WHERE id = (SELECT id FROM source_asset WHERE state = 'waiting' AND due_at <= :now
              ORDER BY due_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, owner_id, address, tries
"""
STORED = """
UPDATE source_asset SET state = 'stored', media_type = :media_type, blob_key = :blob, sha256 = :sha256,
       size_bytes = :size, error = NULL WHERE id = :id AND state = 'waiting'
"""
FAILED = """
UPDATE source_asset SET error = :error, due_at = :due, state = CASE WHEN :final THEN 'failed' ELSE 'waiting' END
 WHERE id = :id AND state = 'waiting'
"""


async def claim_asset(tx: Tx, *, now: datetime) -> Row | None:
    """id, owner_id, address, tries of a picture to fetch now; None when there is none."""
    await tx.run(SPENT, now=now, max_tries=MAX_TRIES)
    return await tx.row(CLAIM, now=now, until=now + _LEASE)


async def asset_stored(tx: Tx, asset_id: int, *, media_type: str, blob_key: str, sha256: str, size_bytes: int) -> None:
    await tx.run(STORED, id=asset_id, media_type=media_type, blob=blob_key, sha256=sha256, size=size_bytes)


async def asset_failed(tx: Tx, asset_id: int, *, error: str, again_at: datetime | None, now: datetime) -> None:
    """``again_at`` None: it will not be tried again."""
    await tx.run(FAILED, id=asset_id, error=storable(error, 200), due=again_at or now, final=again_at is None)
