"""Change where an owner lives: days of listening, and the times that are shown, follow it.

Locks: updates one owner row.
"""

from __future__ import annotations

from storage.tx import Tx

SET = "UPDATE owner SET time_zone = :zone WHERE id = :owner AND time_zone <> :zone"


async def set_time_zone(tx: Tx, *, owner_id: int, time_zone: str) -> bool:
    """``time_zone`` is an IANA name that exists. True when it changed."""
    return await tx.run(SET, owner=owner_id, zone=time_zone) == 1
