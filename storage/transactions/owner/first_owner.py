"""The one person a fresh installation has, with a chat per channel; found again on every later start.

Locks: an advisory lock, so that two first starts make one owner; inserts owner, chat.
"""

from __future__ import annotations

from storage.tx import Tx

ALONE = "SELECT pg_advisory_xact_lock(:key)"
FIRST = "SELECT id FROM owner ORDER BY id LIMIT 1"
MAKE = "INSERT INTO owner (language) VALUES (:language) RETURNING id"
CHAT = """
INSERT INTO chat (owner_id, channel, external_id) VALUES (:owner, :channel, :external_id)
ON CONFLICT (channel, external_id) DO UPDATE SET owner_id = excluded.owner_id RETURNING id
"""


async def first_owner(tx: Tx, *, language: str) -> int:
    await tx.row(ALONE, key=0x6F776E72)
    row = await tx.row(FIRST)
    return int((row or await tx.one(MAKE, language=language))["id"])


async def chat_of(tx: Tx, *, owner_id: int, channel: str, external_id: str) -> int:
    return int((await tx.one(CHAT, owner=owner_id, channel=channel, external_id=external_id))["id"])
