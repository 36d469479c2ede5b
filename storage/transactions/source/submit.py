"""Accept a submission: source, episode, revision, its runs and their first events become true at once (rule RUN-1).

Locks: inserts source, episode, episode_revision, generation_run, run_event (parent: owner) → CHAT(chat) → OUTBOX.
Idempotent: ``(owner, request_key)``: the first result again; the same key for something else is refused (SRC-2).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipeline.domain.errors import RequestConflict
from storage.locks import Lock
from storage.transactions.outbox.enqueue import show_progress
from storage.transactions.run.enqueue import enqueue
from storage.tx import Tx

# One statement for the three, because each of its own would cost a round trip; none of them without the source.
MADE = """
WITH s AS (
  INSERT INTO source (owner_id, request_key, payload_sha256, input_type, name, origin, address_key, hint, note,
                      blob_key, raw_sha256, size_bytes, submitted_at)
  VALUES (:owner, :key, :payload, :input_type, :name, :origin, :address_key, :hint, :note, :blob, :raw, :size, :now)
  ON CONFLICT (owner_id, request_key) DO NOTHING RETURNING id, owner_id
), e AS (
  INSERT INTO episode (owner_id, source_id) SELECT owner_id, id FROM s RETURNING id, owner_id
), v AS (
  INSERT INTO episode_revision (episode_id, owner_id, chat_id, number, question, question_by, ask_until)
  SELECT id, owner_id, :chat, 1, :question, :by, :until FROM e RETURNING id
)
SELECT s.id AS source_id, v.id AS revision_id FROM s, v
"""
THERE = """
SELECT s.id, s.payload_sha256, v.id AS revision_id FROM source s
  JOIN episode e ON e.source_id = s.id JOIN episode_revision v ON v.episode_id = e.id
 WHERE s.owner_id = :owner AND s.request_key = :key ORDER BY v.id LIMIT 1
"""
LOCK_CHAT = "SELECT id FROM chat WHERE id = :id FOR NO KEY UPDATE"
EXPECT = "UPDATE chat SET dialogue = cast(:dialogue AS jsonb) WHERE id = :chat"


@dataclass(frozen=True)
class Submission:
    owner_id: int
    chat_id: int
    request_key: str
    payload_sha256: str
    input_type: str
    name: str
    origin: str | None
    note: str | None
    blob_key: str | None  # None, with the two below: a link, to be fetched from ``origin``
    raw_sha256: str | None
    size_bytes: int | None
    question: str | None
    question_by: str | None
    ask_until: datetime | None  # when a missing question is replaced by the stated default (CHT-9)
    settings: dict[str, Any]  # models, voice, versions: what this run is made with (MDL-7)
    address_key: str | None = None
    hint: str | None = None


async def submit(tx: Tx, submission: Submission, *, now: datetime) -> tuple[int, bool]:
    """Return the revision id, and whether it is new."""
    s = submission
    row = await tx.row(
        MADE,
        owner=s.owner_id,
        key=s.request_key,
        payload=s.payload_sha256,
        input_type=s.input_type,
        name=s.name,
        origin=s.origin,
        address_key=s.address_key,
        hint=s.hint,
        note=s.note,
        blob=s.blob_key,
        raw=s.raw_sha256,
        size=s.size_bytes,
        now=now,
        chat=s.chat_id,
        question=s.question,
        by=s.question_by,
        until=s.ask_until,
    )
    if row is None:
        there = await tx.one(THERE, owner=s.owner_id, key=s.request_key)
        if there["payload_sha256"] != s.payload_sha256:
            raise RequestConflict(f"request {s.request_key!r} came twice with different contents")
        return int(there["revision_id"]), False
    source_id, revision = int(row["source_id"]), int(row["revision_id"])
    run: dict[str, Any] = {
        "owner_id": s.owner_id,
        "source_id": source_id,
        "revision_id": revision,
        "settings": s.settings,
    }
    if s.question is None:
        await enqueue(tx, kind="INTAKE", state="QUEUED", due_at=now, **run)
        await enqueue(tx, kind="GENERATE", state="DEFERRED", due_at=s.ask_until or now, **run)
    else:
        await enqueue(tx, kind="GENERATE", state="QUEUED", due_at=now, **run)
    await tx.lock(Lock.CHAT, s.chat_id, LOCK_CHAT)
    if s.question is None and s.ask_until is not None:
        dialogue = {"question_for": revision, "until": s.ask_until.isoformat()}
        await tx.run(EXPECT, chat=s.chat_id, dialogue=json.dumps(dialogue))
    await show_progress(tx, chat_id=s.chat_id, kind="receipt", subject_id=revision)
    return revision, True
