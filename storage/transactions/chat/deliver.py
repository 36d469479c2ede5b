"""Put a rendered message into a thread, or edit the one that stands there.

Locks: CHAT(chat) → inserts or updates chat_message.
Idempotent: by the outbox row that made the message; an edit may be repeated.
"""

from __future__ import annotations

import json
from typing import Any

from storage.locks import Lock
from storage.tx import Tx

LOCK_CHAT = "SELECT id FROM chat WHERE id = :id FOR NO KEY UPDATE"
MADE = "SELECT id FROM chat_message WHERE outbox_id = :outbox"
UNCHANGED = "SELECT 1 FROM chat_message WHERE id = :id AND chat_id = :chat AND payload = cast(:payload AS jsonb)"
NEXT_SEQ = "UPDATE chat SET seq = seq + 1 WHERE id = :chat RETURNING seq"
INSERT = """
INSERT INTO chat_message (chat_id, seq, author, kind, subject_id, args, payload, external_ref, outbox_id, head_id, part)
VALUES (:chat, :seq, :author, :kind, :subject, cast(:args AS jsonb), cast(:payload AS jsonb), :ref, :outbox, :head,
        :part)
RETURNING id
"""
EDIT = """
UPDATE chat_message SET seq = :seq, args = cast(:args AS jsonb), payload = cast(:payload AS jsonb), edited_at = now()
 WHERE id = :id AND chat_id = :chat
"""


async def deliver(
    tx: Tx,
    *,
    chat_id: int,
    outbox_id: int,
    target_id: int | None,
    author: str,
    kind: str,
    subject_id: int | None,
    args: dict[str, Any],
    payload: dict[str, Any],
    external_ref: str | None = None,
    head_id: int | None = None,
    part: int = 1,
) -> int:
    """Return the chat_message id. An edit that changes nothing takes no new seq.

    Args:
        external_ref: the messenger's id of a new message.
        head_id: the message of the first part, when this is a later ``part`` of it.
    """
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    body, arguments = json.dumps(payload, ensure_ascii=False), json.dumps(args, ensure_ascii=False)
    if target_id is None and (made := await tx.row(MADE, outbox=outbox_id)) is not None:
        target_id = made["id"]
    if target_id is not None:
        if await tx.row(UNCHANGED, id=target_id, chat=chat_id, payload=body) is None:
            seq = (await tx.one(NEXT_SEQ, chat=chat_id))["seq"]
            await tx.run(EDIT, id=target_id, chat=chat_id, seq=seq, args=arguments, payload=body)
            await tx.wake()
        return target_id
    seq = (await tx.one(NEXT_SEQ, chat=chat_id))["seq"]
    row = await tx.one(
        INSERT,
        chat=chat_id,
        seq=seq,
        author=author,
        kind=kind,
        subject=subject_id,
        args=arguments,
        payload=body,
        ref=external_ref,
        outbox=outbox_id,
        head=head_id,
        part=part,
    )
    await tx.wake()
    return int(row["id"])
