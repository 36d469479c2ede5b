"""Nobody will read what waits for this chat: a terminal whose command has ended.

Locks: OUTBOX rows of one chat, by their compare-and-set.
"""

from __future__ import annotations

from storage.tx import Tx

DROP = "UPDATE outbox_message SET state = 'cancelled' WHERE chat_id = :chat AND state = 'queued'"


async def drop_queue(tx: Tx, *, chat_id: int) -> int:
    return await tx.run(DROP, chat=chat_id)
