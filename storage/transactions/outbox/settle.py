"""What became of a sending, and what to make of sendings that nobody settled.

Locks: OUTBOX rows, ascending, by their compare-and-set.
"""

from __future__ import annotations

from storage.tx import Tx, storable

SENT = "UPDATE outbox_message SET state = 'sent', sent_at = now(), error = NULL WHERE id = :id AND state = 'sending'"
FAILED = "UPDATE outbox_message SET state = 'failed', error = :error WHERE id = :id AND state = 'sending'"
# A newer progress row of the same subject carries the state already.
OVERTAKEN = """
UPDATE outbox_message o SET state = 'failed', error = 'overtaken by a newer state'
  FROM chat c
 WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'sending' AND o.class = 'progress'
   AND EXISTS (SELECT 1 FROM outbox_message n WHERE n.chat_id = o.chat_id AND n.kind = o.kind
                  AND n.subject_id = o.subject_id AND n.state = 'queued' AND n.class = 'progress')
"""
REQUEUE = """
UPDATE outbox_message o SET state = 'queued', claimed_at = NULL
  FROM chat c
 WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'sending' AND (:idempotent OR o.class <> 'once')
"""
UNKNOWN = """
UPDATE outbox_message o SET state = 'unknown'
  FROM chat c WHERE c.id = o.chat_id AND c.channel = :channel AND o.state = 'sending'
"""


async def sent(tx: Tx, outbox_id: int) -> bool:
    return await tx.run(SENT, id=outbox_id) == 1


async def failed(tx: Tx, outbox_id: int, *, error: str) -> bool:
    return await tx.run(FAILED, id=outbox_id, error=storable(error, 500)) == 1


async def recover(tx: Tx, *, channel: str, idempotent: bool) -> int:
    """When a gateway starts: the sendings of the one before it. Returns how many are UNKNOWN now (rule CHT-2)."""
    await tx.run(OVERTAKEN, channel=channel)
    await tx.run(REQUEUE, channel=channel, idempotent=idempotent)
    return await tx.run(UNKNOWN, channel=channel)
