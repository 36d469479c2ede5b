"""The files of an update: fetched, given up, or tried again later; the update waits for all of them.

Locks: one inbox_file row, by its compare-and-set.
Idempotent: by the state of the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from storage.tx import Row, Tx

# The next try is written down before this one is made: a process that dies in between has made one.
TAKE = """
UPDATE inbox_file SET tries = tries + 1, due_at = :again WHERE id IN (
  SELECT f.id FROM inbox_file f WHERE f.state = 'waiting' AND f.due_at <= :now
   ORDER BY f.due_at, f.id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, update_id, name, remote, size_bytes, tries
"""
OWNER = """
SELECT c.owner_id FROM inbox_file f JOIN inbox_update u ON u.id = f.update_id JOIN chat c ON c.id = u.chat_id
 WHERE f.id = :id
"""
KEEP = """
UPDATE inbox_file SET state = 'kept', blob_key = :key, sha256 = :sha256, size_bytes = :size
 WHERE id = :id AND state = 'waiting'
"""
AGAIN = "UPDATE inbox_file SET due_at = :again WHERE id = :id AND state = 'waiting'"
NOW = "UPDATE inbox_file SET due_at = :now WHERE state = 'waiting' AND due_at > :now"
FAIL = "UPDATE inbox_file SET state = 'failed', reason = :reason WHERE id = :id AND state = 'waiting'"


async def take_due(tx: Tx, *, now: datetime, again: datetime, limit: int) -> Sequence[Row]:
    """Files to fetch now: ``id, update_id, name, remote, size_bytes, tries``.

    Args:
        again: when they are due once more if nobody settles them.
    """
    return await tx.rows(TAKE, now=now, again=again, limit=limit)


async def owner_of_file(tx: Tx, file_id: int) -> int:
    return int((await tx.one(OWNER, id=file_id))["owner_id"])


async def keep_file(tx: Tx, file_id: int, *, key: str, sha256: str, size_bytes: int) -> bool:
    kept = await tx.run(KEEP, id=file_id, key=key, sha256=sha256, size=size_bytes) == 1
    await tx.wake()
    return kept


async def try_later(tx: Tx, file_id: int, *, again: datetime) -> None:
    await tx.run(AGAIN, id=file_id, again=again)


async def retry_all(tx: Tx, *, now: datetime) -> None:
    """After a restart nobody is fetching: what the process before was at need not wait for its time."""
    await tx.run(NOW, now=now)


async def give_file_up(tx: Tx, file_id: int, *, reason: str) -> None:
    """``reason`` is the key of the sentence that the message will say."""
    await tx.run(FAIL, id=file_id, reason=reason)
    await tx.wake()
