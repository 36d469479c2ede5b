"""Take the next message to send, under the sender's fence and at the channel's pace (rule CHT-3).

Locks: GATEWAY(name) → CHAT and OUTBOX, one row each, skipped when somebody has them.
Order: by rank, then by age. A chat with a message on its way is left alone, so that its messages keep their order, and
so is a chat that was sent to a moment ago or is blocked; the others go on. The answer to a press is no message of the
chat: it waits for none of these but a block. A progress edit waits until its message has rested, a part for the part
before it, and a progress row while an earlier one may have made the message that it would make again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pipeline.domain.sending import Pace
from storage.locks import Lock
from storage.tx import Row, Tx

HOLD = """
SELECT blocked_until, next_at FROM gateway
 WHERE name = :name AND fence = :fence AND lease_until > clock_timestamp() FOR NO KEY UPDATE
"""
PICK = """
SELECT q.id, q.kind, c.id AS chat_id, c.grouped FROM outbox_message q
  JOIN chat c ON c.id = q.chat_id
  LEFT JOIN chat_message m
         ON q.class = 'progress' AND m.chat_id = q.chat_id AND m.kind = q.kind AND m.subject_id = q.subject_id
        AND m.author = 'bot' AND m.head_id IS NULL AND m.gone_at IS NULL
 WHERE q.state = 'queued' AND c.channel = :channel AND q.due_at <= :now AND c.deactivated_at IS NULL
   AND (c.blocked_until IS NULL OR c.blocked_until <= :now)
   AND (NOT :answers OR q.kind = 'answer')
   AND (q.kind = 'answer' OR (
         (c.next_at IS NULL OR c.next_at <= :now)
     AND (m.id IS NULL OR coalesce(m.edited_at, m.created_at)
                       <= :now - make_interval(secs => CASE WHEN c.grouped THEN cast(:group_edit_s AS double precision)
                                                                    ELSE cast(:edit_s AS double precision) END))
     AND NOT EXISTS (SELECT 1 FROM outbox_message s
                      WHERE s.chat_id = q.chat_id AND s.state = 'sending' AND s.kind <> 'answer')
     AND NOT EXISTS (SELECT 1 FROM outbox_message b
                      WHERE q.parent_id IS NOT NULL AND b.state IN ('queued', 'sending') AND b.part < q.part
                        AND (b.id = q.parent_id OR b.parent_id = q.parent_id))
     AND NOT EXISTS (SELECT 1 FROM outbox_message u
                      WHERE q.class = 'progress' AND m.id IS NULL AND u.chat_id = q.chat_id AND u.state = 'unknown'
                        AND u.class = 'progress' AND u.kind = q.kind AND u.subject_id = q.subject_id)))
 ORDER BY q.rank, q.id LIMIT 1 FOR NO KEY UPDATE OF q, c SKIP LOCKED
"""
CLAIM = """
UPDATE outbox_message o SET state = 'sending', claimed_at = :now, fence = :fence, tries = tries + 1
 WHERE o.id = :id
RETURNING o.id, o.chat_id, o.class, o.kind, o.subject_id, o.args, o.target_id, o.parent_id, o.part, o.parts, o.payload,
          o.tries
"""
CHAT_PACE = "UPDATE chat SET next_at = :next WHERE id = :chat"
TOKEN_PACE = "UPDATE gateway SET next_at = :next WHERE name = :name"  # noqa: S105 - no secret
# The message to edit: the one named, the one the subject already has, or the same part of the head that stands.
TARGET = """
SELECT c.external_id, c.owner_id, c.grouped, c.voice_forbidden, coalesce(w.language, :language) AS language,
       m.id AS message_id, m.external_ref, m.payload AS shown, h.external_ref AS head_ref, h.id AS head_id
  FROM chat c LEFT JOIN owner w ON w.id = c.owner_id
  LEFT JOIN outbox_message p ON p.id = cast(:parent AS bigint)
  LEFT JOIN chat_message h ON h.id = p.message_id
  LEFT JOIN LATERAL (
       SELECT id, external_ref, payload FROM chat_message
        WHERE chat_id = c.id AND gone_at IS NULL
          AND CASE WHEN cast(:parent AS bigint) IS NULL
              THEN id = :target OR (:progress AND head_id IS NULL AND kind = :kind AND subject_id = :subject
                                    AND author = 'bot')
              ELSE head_id = h.id AND part = :part END
        ORDER BY id DESC LIMIT 1) m ON true
 WHERE c.id = :chat
"""


class FenceLost(Exception):
    """Somebody else sends for this token, or the lease has lapsed."""


async def claim(
    tx: Tx,
    *,
    channel: str,
    name: str,
    fence: int,
    pace: Pace,
    now: datetime,
    answers: bool = False,
    language: str = "zh",
) -> tuple[Row, Row] | None:
    """The claimed row and where it goes; None if nothing is due.

    Args:
        answers: only answers to presses, which wait for nobody's upload.
        language: of chats that have no owner.

    Raises:
        FenceLost: this sender is not the token's any more.
    """
    held = await tx.row(HOLD, name=name, fence=fence)
    if held is None:
        raise FenceLost(name)
    tx.holding(Lock.GATEWAY, 0)
    if any(until is not None and until > now for until in (held["blocked_until"], held["next_at"])):
        return None
    found = await tx.row(
        PICK, channel=channel, now=now, answers=answers, edit_s=pace.edit_s, group_edit_s=pace.group_edit_s
    )
    if found is None:
        return None
    tx.holding(Lock.CHAT, found["chat_id"])
    tx.holding(Lock.OUTBOX, found["id"])
    gap = pace.group_s if found["grouped"] else pace.chat_s
    if gap and found["kind"] != "answer":
        await tx.run(CHAT_PACE, chat=found["chat_id"], next=now + timedelta(seconds=gap))
    if pace.total_s:
        await tx.run(TOKEN_PACE, name=name, next=now + timedelta(seconds=pace.total_s))
    row = await tx.one(CLAIM, id=found["id"], now=now, fence=fence)
    target = await tx.one(
        TARGET,
        chat=row["chat_id"],
        target=row["target_id"],
        progress=row["class"] == "progress",
        kind=row["kind"],
        subject=row["subject_id"],
        parent=row["parent_id"],
        part=row["part"],
        language=language,
    )
    return row, target
