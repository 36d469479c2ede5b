"""Remember, or forget, what the next text of a person answers. Dialogue may be lost without harm.

Locks: CHAT(chat).
"""

from __future__ import annotations

import json
from typing import Any

from storage.locks import Lock
from storage.tx import Tx

LOCK_CHAT = "SELECT id FROM chat WHERE id = :id FOR NO KEY UPDATE"
SET = "UPDATE chat SET dialogue = cast(:dialogue AS jsonb) WHERE id = :chat"


async def expect(tx: Tx, *, chat_id: int, dialogue: dict[str, Any] | None) -> None:
    """``dialogue`` is ``{"question_for" | "body_for" | "password_for": revision id, "until": ISO instant or None}``."""
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    await tx.run(SET, chat=chat_id, dialogue=None if dialogue is None else json.dumps(dialogue))
