"""Change the language, and bring what stands in the chat to it.

Locks: inserts outbox_message (parents: chat); updates one owner row.
"""

from __future__ import annotations

from storage.tx import Tx

SET = "UPDATE owner SET language = :language WHERE id = :owner AND language <> :language"
# The newest messages are edited; older ones keep the language they were read in.
AGAIN = """
INSERT INTO outbox_message (chat_id, class, kind, subject_id, args, target_id)
SELECT m.chat_id, 'guarded', m.kind, m.subject_id, m.args, m.id
  FROM chat_message m JOIN chat c ON c.id = m.chat_id
 WHERE c.owner_id = :owner AND m.author = 'bot' AND m.head_id IS NULL AND m.gone_at IS NULL
 ORDER BY m.id DESC LIMIT :limit
"""


async def set_language(tx: Tx, *, owner_id: int, language: str, limit: int = 60) -> bool:
    """True when it changed."""
    if await tx.run(SET, owner=owner_id, language=language) != 1:
        return False
    await tx.run(AGAIN, owner=owner_id, limit=limit)
    await tx.wake()
    return True
