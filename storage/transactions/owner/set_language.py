"""Change the language, and bring what stands on the page to it.

Locks: inserts outbox_message (parents: chat); updates one owner row.
"""

from __future__ import annotations

from storage.tx import Tx

SET = "UPDATE owner SET language = :language WHERE id = :owner AND language <> :language"
# The newest messages of the page are edited; older ones, and those of a messenger, keep the language they were read in:
# sixty edits at a messenger's pace (rule CHT-3) would hold up what comes next for minutes.
AGAIN = """
INSERT INTO outbox_message (chat_id, class, kind, subject_id, args, target_id)
SELECT m.chat_id, 'guarded', m.kind, m.subject_id, m.args, m.id
  FROM chat_message m JOIN chat c ON c.id = m.chat_id
 WHERE c.owner_id = :owner AND c.channel = 'web' AND m.author = 'bot' AND m.head_id IS NULL AND m.gone_at IS NULL
 ORDER BY m.id DESC LIMIT :limit
"""
# Nothing was said to the owner yet but that they are a stranger: there is no language that they are used to.
FIRST_WORDS = """
SELECT NOT EXISTS (
  SELECT 1 FROM chat_message m JOIN chat c ON c.id = m.chat_id
   WHERE c.owner_id = :owner AND m.author = 'bot'
     AND (m.kind <> 'note' OR m.args->>'key' IS DISTINCT FROM 'stranger')) AS first
"""


async def begin_in(tx: Tx, *, owner_id: int, language: str) -> bool:
    """Take the language of the person's client for an owner who was told nothing yet. True when it changed."""
    if not (await tx.one(FIRST_WORDS, owner=owner_id))["first"]:
        return False
    return await set_language(tx, owner_id=owner_id, language=language)


async def set_language(tx: Tx, *, owner_id: int, language: str, limit: int = 60) -> bool:
    """True when it changed."""
    if await tx.run(SET, owner=owner_id, language=language) != 1:
        return False
    await tx.run(AGAIN, owner=owner_id, limit=limit)
    await tx.wake()
    return True
