"""Where an owner lives."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

ZONE = "SELECT time_zone FROM owner WHERE id = :owner"


async def time_zone(engine: AsyncEngine, owner_id: int) -> str:
    """IANA name. Raises MissingRow when there is no such owner."""
    async with snapshot(engine) as tx:
        return str((await tx.one(ZONE, owner=owner_id))["time_zone"])
