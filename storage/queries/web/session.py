"""Whose session is this?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import transaction

SESSION = """
SELECT s.owner_id, o.language, o.time_zone, c.id AS chat_id
  FROM web_session s JOIN owner o ON o.id = s.owner_id
  JOIN chat c ON c.owner_id = o.id AND c.channel = 'web'
 WHERE s.token_sha256 = :token AND s.expires_at > :now
"""


@dataclass(frozen=True)
class SessionView:
    owner_id: int
    language: str  # zh | en
    time_zone: str  # IANA name; pages show the owner's civil time
    chat_id: int


async def session(engine: AsyncEngine, *, token_sha256: str, now: datetime) -> SessionView | None:
    async with transaction(engine) as tx:
        row = await tx.row(SESSION, token=token_sha256, now=now)
    return None if row is None else SessionView(**row)
