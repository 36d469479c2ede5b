"""What is known of a message that was sent."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

STATE = "SELECT state FROM outbox_message WHERE id = :id"


async def sending_state(engine: AsyncEngine, outbox_id: int) -> str:
    """Raises MissingRow."""
    async with snapshot(engine) as tx:
        return str((await tx.one(STATE, id=outbox_id))["state"])
