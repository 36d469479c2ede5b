"""Store what came in, before anybody is told that it arrived; a person's words enter the thread with it.

Locks: CHAT(chat) → inserts inbox_update, chat_message (their parent: chat).
Idempotent: ``(channel, external_id)``; the same key with other contents is refused (rule SRC-2).
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any

from pipeline.domain.errors import RequestConflict
from storage.locks import Lock
from storage.tx import Tx

LOCK_CHAT = "SELECT id, dialogue FROM chat WHERE id = :id FOR NO KEY UPDATE"
INSERT = """
INSERT INTO inbox_update (channel, external_id, chat_id, payload, payload_sha256, message_ref, album, due_at)
VALUES (:channel, :external_id, :chat, cast(:payload AS jsonb), :sha256, :message_ref, :album, :due)
ON CONFLICT (channel, external_id) DO NOTHING RETURNING id
"""
THERE = "SELECT id, payload_sha256 FROM inbox_update WHERE channel = :channel AND external_id = :external_id"
NEXT_SEQ = "UPDATE chat SET seq = seq + 1 WHERE id = :chat RETURNING seq"
SAY = """
INSERT INTO chat_message (chat_id, seq, author, kind, payload)
VALUES (:chat, :seq, 'person', :kind, cast(:payload AS jsonb))
"""

MASK = "••••••"
FORGOTTEN = "forgotten"  # in place of the hash of a password


async def store_update(
    tx: Tx,
    *,
    channel: str,
    external_id: str,
    chat_id: int,
    payload: dict[str, Any],
    said: dict[str, Any] | None = None,
    digest: str | None = None,
    message_ref: str | None = None,
    album: str | None = None,
    due_at: datetime | None = None,
) -> tuple[int, bool]:
    """Store one update.

    Args:
        said: what the person's own message shows in the thread (``{"text": …, "files": [{"name", "size", "paste"}]}``);
            None for presses and for channels that keep their own thread.
        digest: SHA-256 of what came over the wire, where that is more than the payload; None: the payload's.
        message_ref: the messenger's id of the message, for replies and edits that name it.
        album: updates of one album are handled together.
        due_at: not handled before; None: at once.

    Returns:
        The inbox id, and whether it is new.

    Raises:
        RequestConflict: the key was used for something else.
    """
    chat = await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    if _secret(chat["dialogue"], payload):
        # A password is needed once, by the handler; it is never shown, and its update forgets it when it is settled.
        payload, said = {**payload, "secret": True}, said and {**said, "text": MASK}
    body = json.dumps(payload, sort_keys=True, ensure_ascii=False)
    digest = digest or hashlib.sha256(body.encode()).hexdigest()
    row = await tx.row(
        INSERT,
        channel=channel,
        external_id=external_id,
        chat=chat_id,
        payload=body,
        sha256=digest,
        message_ref=message_ref,
        album=album,
        due=due_at,
    )
    if row is None:
        there = await tx.one(THERE, channel=channel, external_id=external_id)
        if there["payload_sha256"] not in (digest, FORGOTTEN):
            raise RequestConflict(f"update {external_id!r} came twice with different contents")
        return int(there["id"]), False
    if said is not None:
        seq = (await tx.one(NEXT_SEQ, chat=chat_id))["seq"]
        await tx.run(SAY, chat=chat_id, seq=seq, kind="said", payload=json.dumps(said, ensure_ascii=False))
    await tx.wake()
    return int(row["id"]), True


def _secret(dialogue: dict[str, Any] | None, payload: dict[str, Any]) -> bool:
    """Whether this text answers a question for a password."""
    asked = bool(dialogue) and "password_for" in (dialogue or {})
    return asked and payload.get("type") == "message" and bool(payload.get("text")) and not payload.get("files")
