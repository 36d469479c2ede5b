"""Take the next message to send, for one channel.

Locks: OUTBOX, one row, skipped when another sender has it.
Order: answers and results before progress (rule CHT-3); a progress edit waits until its message has rested for the
channel's pace; a chat with a message on its way is left alone, so that its messages keep their order.
"""

from __future__ import annotations

from datetime import datetime

from storage.tx import Row, Tx

CLAIM = """
UPDATE outbox_message o SET state = 'sending', claimed_at = :now
 WHERE o.id = (
   SELECT q.id FROM outbox_message q
     JOIN chat c ON c.id = q.chat_id
     LEFT JOIN chat_message m
            ON q.class = 'progress' AND m.chat_id = q.chat_id AND m.kind = q.kind AND m.subject_id = q.subject_id
    WHERE q.state = 'queued' AND c.channel = :channel AND q.due_at <= :now
      AND (m.id IS NULL OR coalesce(m.edited_at, m.created_at) <= :now - make_interval(secs => :pace_s))
      AND NOT EXISTS (SELECT 1 FROM outbox_message s WHERE s.chat_id = q.chat_id AND s.state = 'sending')
    ORDER BY q.class = 'progress', q.id LIMIT 1 FOR NO KEY UPDATE OF q SKIP LOCKED)
RETURNING o.id, o.chat_id, o.class, o.kind, o.subject_id, o.args, o.target_id
"""
TARGET = """
SELECT c.external_id, c.owner_id, w.language, m.id AS message_id, m.external_ref
  FROM chat c JOIN owner w ON w.id = c.owner_id
  LEFT JOIN LATERAL (
       SELECT id, external_ref FROM chat_message
        WHERE chat_id = c.id AND (id = :target OR (:progress AND kind = :kind AND subject_id = :subject))
        ORDER BY id DESC LIMIT 1) m ON true
 WHERE c.id = :chat
"""


async def claim(tx: Tx, *, channel: str, pace_s: float, now: datetime) -> tuple[Row, Row] | None:
    """The claimed row and where it goes (external_id, owner_id, language, message_id, external_ref); None if idle."""
    row = await tx.row(CLAIM, channel=channel, pace_s=pace_s, now=now)
    if row is None:
        return None
    target = await tx.one(
        TARGET,
        chat=row["chat_id"],
        target=row["target_id"],
        progress=row["class"] == "progress",
        kind=row["kind"],
        subject=row["subject_id"],
    )
    return row, target
