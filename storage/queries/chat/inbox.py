"""What waits to be handled: per chat, the oldest update (rule CHT-1: one chat at a time, in order)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

WAITING = """
SELECT DISTINCT ON (u.chat_id) u.id, u.chat_id, u.external_id, u.payload, u.received_at, u.channel,
       c.owner_id, c.dialogue, o.language
  FROM inbox_update u JOIN chat c ON c.id = u.chat_id JOIN owner o ON o.id = c.owner_id
 WHERE u.state = 'stored' AND u.channel = ANY(:channels)
 ORDER BY u.chat_id, u.id
"""


@dataclass(frozen=True)
class UpdateView:
    id: int
    chat_id: int
    external_id: str
    payload: dict[str, Any]
    received_at: datetime
    channel: str
    owner_id: int
    dialogue: dict[str, Any] | None
    language: str


async def waiting(engine: AsyncEngine, *, channels: Sequence[str]) -> tuple[UpdateView, ...]:
    async with snapshot(engine) as tx:
        return tuple(UpdateView(**row) for row in await tx.rows(WAITING, channels=list(channels)))
