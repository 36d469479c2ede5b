"""An update was handled, or is set aside so that it never blocks the rest (rule CHT-1).

Locks: none taken before; one inbox_update row by its compare-and-set.
Idempotent: a second settling finds the state changed and does nothing.
"""

from __future__ import annotations

from storage.transactions.chat.store_update import FORGOTTEN
from storage.tx import Tx, storable

# A settled password is gone from the row, and so is its hash, which could be guessed back.
FORGET = """
UPDATE inbox_update SET payload = jsonb_set(payload, '{text}', '""'), payload_sha256 = :forgotten
 WHERE id = :id AND payload->'secret' IS NOT NULL
"""
HANDLED = "UPDATE inbox_update SET state = 'handled', handled_at = now() WHERE id = :id AND state = 'stored'"
ASIDE = """
UPDATE inbox_update SET state = 'set_aside', handled_at = now(), error = :error WHERE id = :id AND state = 'stored'
"""

CONCERNS = "UPDATE inbox_update SET revision_id = :revision WHERE id = :id AND revision_id IS NULL"


async def handled(tx: Tx, update_id: int) -> bool:
    """False: somebody has settled it already. Called before what the update asks for, it locks the row until then."""
    await tx.run(FORGET, id=update_id, forgotten=FORGOTTEN)
    return await tx.run(HANDLED, id=update_id) == 1


async def set_aside(tx: Tx, update_id: int, *, error: str) -> bool:
    await tx.run(FORGET, id=update_id, forgotten=FORGOTTEN)
    return await tx.run(ASIDE, id=update_id, error=storable(error, 500)) == 1


async def concerns(tx: Tx, update_id: int, *, revision_id: int) -> None:
    """What this message asked: a reply to it, or its edit, is about the same. Of several the first is kept."""
    await tx.run(CONCERNS, id=update_id, revision=revision_id)
