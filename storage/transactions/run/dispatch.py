"""Which due runs a broker is to be told of: a short delivery lease, so that a lost message is sent again (rule RUN-3).

Locks: RUN rows, skipped if somebody has them; no other.
Idempotent: telling twice is harmless, because the claim decides.
"""

from __future__ import annotations

from datetime import datetime

from storage.tx import Tx

DUE = """
UPDATE generation_run SET delivered_until = clock_timestamp() + make_interval(secs => :lease_s)
 WHERE id IN (
   SELECT id FROM generation_run
    WHERE state IN ('QUEUED', 'RETRY_WAIT') AND next_due_at <= :now
      AND (delivered_until IS NULL OR delivered_until <= clock_timestamp())
    ORDER BY next_due_at, id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id
"""


async def dispatch_due(tx: Tx, *, now: datetime, lease_s: float, limit: int = 100) -> tuple[int, ...]:
    """Ids of runs that are due and that nobody was told of lately; they count as told from now on."""
    return tuple(sorted(row["id"] for row in await tx.rows(DUE, now=now, lease_s=lease_s, limit=limit)))
