"""The right to send for one token: taken with a new fence, kept by renewing, checked before each request (CHT-3).

Locks: GATEWAY(name), one row, by the statement that changes it. No other lock.
Idempotent: renewing and giving back compare the fence; taking makes a new one each time.
"""

from __future__ import annotations

from storage.tx import Tx

# Whoever starts takes a lease that has lapsed; ``seize`` takes a live one too, and the holder finds its fence gone.
TAKE = """
INSERT INTO gateway (name, fence, lease_until)
VALUES (:name, 1, clock_timestamp() + make_interval(secs => :lease_s))
ON CONFLICT (name) DO UPDATE SET fence = gateway.fence + 1, lease_until = excluded.lease_until
 WHERE :seize OR gateway.lease_until <= clock_timestamp()
RETURNING fence
"""
# A lapsed lease is not renewed even if nobody took it: what was on its way has to be looked at first.
RENEW = """
UPDATE gateway SET lease_until = clock_timestamp() + make_interval(secs => :lease_s)
 WHERE name = :name AND fence = :fence AND lease_until > clock_timestamp()
"""
HOLDS = "SELECT 1 FROM gateway WHERE name = :name AND fence = :fence AND lease_until > clock_timestamp()"
GIVE = "UPDATE gateway SET lease_until = clock_timestamp() WHERE name = :name AND fence = :fence"


async def take(tx: Tx, *, name: str, lease_s: float, seize: bool = False) -> int | None:
    """The new fence; None while somebody else holds a live lease."""
    row = await tx.row(TAKE, name=name, lease_s=lease_s, seize=seize)
    return None if row is None else int(row["fence"])


async def renew(tx: Tx, *, name: str, fence: int, lease_s: float) -> bool:
    return await tx.run(RENEW, name=name, fence=fence, lease_s=lease_s) == 1


async def holds(tx: Tx, *, name: str, fence: int) -> bool:
    return await tx.row(HOLDS, name=name, fence=fence) is not None


async def give_back(tx: Tx, *, name: str, fence: int) -> None:
    """Who ends in good order lets the next one begin at once."""
    await tx.run(GIVE, name=name, fence=fence)
