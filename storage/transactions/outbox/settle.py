"""What became of a sending, and what to make of sendings that nobody settled.

Locks: OUTBOX rows, by their compare-and-set; ``lost``, ``recover`` and ``unfinished`` also insert outbox_message
(parent: chat).
Idempotent: by state and fence of the row; a receipt that comes late still counts (UNKNOWN → SENT).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pipeline.domain.sending import AGAIN_S, rank_of
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx, storable

SENT = """
UPDATE outbox_message SET state = 'sent', sent_at = now(), error = NULL, message_id = :message
 WHERE id = :id AND state IN ('sending', 'unknown') AND fence = :fence
"""
FAILED = """
UPDATE outbox_message SET state = 'failed', error = :error WHERE id = :id AND state = 'sending' AND fence = :fence
"""
LOST = """
UPDATE outbox_message SET state = 'unknown', error = :error
 WHERE id = :id AND state = 'sending' AND fence = :fence RETURNING chat_id, class, kind, part, parts
"""
# Of a claim that never reached the messenger also when it has been given up for lost meanwhile: nothing was sent.
BACK = """
UPDATE outbox_message o SET state = 'queued', claimed_at = NULL, fence = NULL, due_at = :due, error = :error
 WHERE o.id = :id AND o.state IN ('sending', 'unknown') AND o.fence = :fence
   AND NOT EXISTS (SELECT 1 FROM outbox_message n
                    WHERE o.class = 'progress' AND n.chat_id = o.chat_id AND n.kind = o.kind
                      AND n.subject_id = o.subject_id AND n.state = 'queued' AND n.class = 'progress')
"""
# A newer progress row of the same subject carries the state already.
OVERTAKEN = """
UPDATE outbox_message o SET state = 'failed', error = 'overtaken by a newer state'
  FROM chat c
 WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'sending' AND o.class = 'progress'
   AND EXISTS (SELECT 1 FROM outbox_message n WHERE n.chat_id = o.chat_id AND n.kind = o.kind
                  AND n.subject_id = o.subject_id AND n.state = 'queued' AND n.class = 'progress')
"""
OVERTAKEN_ONE = """
UPDATE outbox_message SET state = 'failed', error = 'overtaken by a newer state'
 WHERE id = :id AND state = 'sending' AND fence = :fence
"""
REQUEUE = """
UPDATE outbox_message o SET state = 'queued', claimed_at = NULL, fence = NULL
  FROM chat c
 WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'sending' AND (:idempotent OR o.class <> 'once')
"""
UNKNOWN = """
UPDATE outbox_message o SET state = 'unknown', error = 'the sender was stopped'
  FROM chat c WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'sending'
RETURNING o.id, o.chat_id, o.kind, o.part, o.parts
"""
# Lost ones that the machine repeats: superseded where a newer state waits, sent anew otherwise.
OUTDATED = """
UPDATE outbox_message o SET state = 'superseded'
  FROM chat c
 WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'unknown' AND o.class = 'progress'
   AND o.claimed_at <= :before
   AND EXISTS (SELECT 1 FROM outbox_message n WHERE n.chat_id = o.chat_id AND n.kind = o.kind AND n.id > o.id
                  AND n.subject_id = o.subject_id AND n.class = 'progress')
"""
ANEW = """
UPDATE outbox_message o SET state = 'queued', claimed_at = NULL, fence = NULL
  FROM chat c
 WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'unknown' AND o.class <> 'once'
   AND o.claimed_at <= :before
"""
RESEND = """
UPDATE outbox_message SET state = 'queued', claimed_at = NULL, fence = NULL, due_at = :now
 WHERE id = :id AND chat_id = :chat AND state = 'unknown'
"""
WHAT = "SELECT kind, part, parts FROM outbox_message WHERE id = :id"
# What stands in a chat may be older than its run: after a restart each is rendered once more; one that is true already
# costs no request (rule CHT-7).
UNFINISHED = """
INSERT INTO outbox_message (chat_id, class, kind, subject_id, rank)
SELECT DISTINCT m.chat_id, 'progress', 'receipt', m.subject_id, cast(:rank AS smallint)
  FROM chat_message m JOIN chat c ON c.id = m.chat_id
  JOIN generation_run r ON r.revision_id = m.subject_id
 WHERE c.channel = :channel AND c.deactivated_at IS NULL AND m.kind = 'receipt' AND m.author = 'bot'
   AND m.head_id IS NULL AND m.gone_at IS NULL
   AND (r.state NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED') OR coalesce(m.edited_at, m.created_at) >= :since)
ON CONFLICT (chat_id, kind, subject_id) WHERE state = 'queued' AND class = 'progress' DO NOTHING
"""


async def sent(tx: Tx, outbox_id: int, *, fence: int, message_id: int | None = None) -> bool:
    """``message_id`` is the chat_message that it made or edited; None for what is no message."""
    return await tx.run(SENT, id=outbox_id, fence=fence, message=message_id) == 1


async def failed(tx: Tx, outbox_id: int, *, fence: int, error: str) -> bool:
    return await tx.run(FAILED, id=outbox_id, fence=fence, error=storable(error, 500)) == 1


async def requeued(tx: Tx, outbox_id: int, *, fence: int, due_at: datetime, error: str) -> bool:
    """It was not sent, or may be repeated. False: a newer state waits, or the row is settled."""
    if await tx.run(BACK, id=outbox_id, fence=fence, due=due_at, error=storable(error, 500)) == 1:
        return True
    await tx.run(OVERTAKEN_ONE, id=outbox_id, fence=fence)
    return False


async def lost(tx: Tx, outbox_id: int, *, fence: int, error: str) -> bool:
    """Nobody knows whether it arrived; of what the machine does not repeat the person is told (rule CHT-2)."""
    row = await tx.row(LOST, id=outbox_id, fence=fence, error=storable(error, 500))
    if row is None:
        return False
    if row["class"] == "once":
        await _offer(tx, outbox_id, row["chat_id"], row["kind"], row["part"], row["parts"])
    return True


async def _offer(tx: Tx, outbox_id: int, chat_id: int, kind: str, part: int, parts: int) -> None:
    if kind == "answer":
        return  # the button stops turning by itself; a second answer would be refused
    args = {"of": kind, "part": part, "parts": parts}
    await say(tx, chat_id=chat_id, kind="lost", subject_id=outbox_id, args=args, class_="guarded")


async def recover(tx: Tx, *, channel: str, idempotent: bool) -> int:
    """When a gateway starts: the sendings of the one before it. Returns how many are UNKNOWN now (rule CHT-2)."""
    await tx.run(OVERTAKEN, channel=channel)
    await tx.run(REQUEUE, channel=channel, idempotent=idempotent)
    unknown = await tx.rows(UNKNOWN, channel=channel)
    for row in unknown:
        await _offer(tx, row["id"], row["chat_id"], row["kind"], row["part"], row["parts"])
    return len(unknown)


async def send_lost_anew(tx: Tx, *, channel: str, now: datetime) -> int:
    """Guarded and progress messages that got no answer ``AGAIN_S`` ago are due again; how many."""
    before = now - timedelta(seconds=AGAIN_S)
    await tx.run(OUTDATED, channel=channel, before=before)
    return await tx.run(ANEW, channel=channel, before=before)


async def resend(tx: Tx, outbox_id: int, *, chat_id: int, now: datetime) -> bool:
    """A person decided to send again what may have arrived. False: it is no longer unknown."""
    if await tx.run(RESEND, id=outbox_id, chat=chat_id, now=now) != 1:
        return False
    await tx.wake()
    return True


async def lost_args(tx: Tx, outbox_id: int) -> dict[str, Any]:
    """What the message about a lost one says: ``of, part, parts``."""
    row = await tx.one(WHAT, id=outbox_id)
    return {"of": row["kind"], "part": row["part"], "parts": row["parts"]}


async def unfinished(tx: Tx, *, channel: str, since: datetime) -> int:
    """Progress messages of runs that are open, or that were touched after ``since``, are looked at again."""
    return await tx.run(UNFINISHED, channel=channel, since=since, rank=rank_of("receipt", "progress"))
