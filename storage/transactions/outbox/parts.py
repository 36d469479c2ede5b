"""A message too long for one becomes parts: each a row with its own state, so that one may be lost alone.

Rules CHT-2, CHT-4.

Locks: OUTBOX(row) by its compare-and-set; inserts outbox_message (parents: chat, outbox_message).
Idempotent: a row that was frozen is not frozen again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from storage.tx import Tx

FREEZE = """
UPDATE outbox_message SET payload = cast(:payload AS jsonb), parts = :parts
 WHERE id = :id AND state = 'sending' AND fence = :fence AND payload IS NULL
RETURNING chat_id, class, kind, subject_id, rank
"""
# A part of progress is guarded: several of one subject wait at once, which progress rows may not.
PART = """
INSERT INTO outbox_message (chat_id, class, kind, subject_id, args, rank, parent_id, part, parts, payload)
SELECT chat_id, CASE WHEN class = 'progress' THEN 'guarded' ELSE class END, kind, subject_id, args, rank, id, :part,
       :parts, cast(:payload AS jsonb)
  FROM outbox_message WHERE id = :id
"""
# The rest of an older state of the same message would tell what is no longer so.
STALE = """
UPDATE outbox_message o SET state = 'superseded'
  FROM outbox_message p
 WHERE p.id = o.parent_id AND p.class = 'progress' AND o.state = 'queued'
   AND o.chat_id = :chat AND o.kind = :kind AND o.subject_id = :subject AND p.id <> :id
"""


async def freeze(tx: Tx, outbox_id: int, *, fence: int, payloads: Sequence[dict[str, Any]]) -> bool:
    """``payloads`` are the rendered parts in order; the claimed row becomes the first. False: no longer ours."""
    texts = [json.dumps(payload, ensure_ascii=False) for payload in payloads]
    row = await tx.row(FREEZE, id=outbox_id, fence=fence, payload=texts[0], parts=len(texts))
    if row is None:
        return False
    if row["class"] == "progress":
        await tx.run(STALE, chat=row["chat_id"], kind=row["kind"], subject=row["subject_id"], id=outbox_id)
    for number, payload in enumerate(texts[1:], start=2):
        await tx.run(PART, id=outbox_id, part=number, parts=len(texts), payload=payload)
    await tx.wake()
    return True
