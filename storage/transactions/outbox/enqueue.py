"""Say something in a chat: a row first; the gateway renders and sends it (rule CHT-2).

Locks: OUTBOX (the waiting progress row of the same subject, if there is one); inserts outbox_message (parent: chat).
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.domain.sending import rank_of
from storage.tx import Tx

INSERT = """
INSERT INTO outbox_message (chat_id, class, kind, subject_id, args, target_id, rank)
VALUES (:chat, :class, :kind, :subject, cast(:args AS jsonb), :target, :rank) RETURNING id
"""
# DO UPDATE, not DO NOTHING: it locks the waiting row, so that a gateway that is about to claim it either sees what
# this transaction made true or leaves the row; with DO NOTHING the last state of a run could stay unsent.
PROGRESS = """
INSERT INTO outbox_message (chat_id, class, kind, subject_id, rank) VALUES (:chat, 'progress', :kind, :subject, :rank)
ON CONFLICT (chat_id, kind, subject_id) WHERE state = 'queued' AND class = 'progress'
DO UPDATE SET due_at = least(outbox_message.due_at, excluded.due_at)
"""


async def say(
    tx: Tx,
    *,
    chat_id: int,
    kind: str,
    subject_id: int | None = None,
    args: dict[str, Any] | None = None,
    target_id: int | None = None,
    class_: str = "once",
) -> int:
    """One message, or one edit of message ``target_id``. ``class_`` is ``once`` or ``guarded``."""
    row = await tx.one(
        INSERT,
        chat=chat_id,
        kind=kind,
        subject=subject_id,
        args=json.dumps(args or {}, ensure_ascii=False),
        target=target_id,
        rank=rank_of(kind, class_),
        **{"class": class_},
    )
    await tx.wake()
    return int(row["id"])


async def answer_press(tx: Tx, *, chat_id: int, query: str, note: dict[str, Any] | None = None) -> int:
    """The answer to a press on a messenger that waits for one (rule CHT-5).

    It is a row of the transaction that decided, so it is exactly as certain as the decision; it goes before everything
    else and waits for no pace, so it is there within a second.

    Args:
        note: args of the sentence to show; None: done, nothing to say.
    """
    return await say(tx, chat_id=chat_id, kind="answer", args={"query": query, "note": note})


async def show_progress(tx: Tx, *, chat_id: int, kind: str, subject_id: int) -> None:
    """Bring the message of ``subject_id`` to its newest state, soon; rows that wait are not doubled."""
    await tx.run(PROGRESS, chat=chat_id, kind=kind, subject=subject_id, rank=rank_of(kind, "progress"))
    await tx.wake()
