"""Bytes came in for a source: by the worker's fetch, or from the person in place of what could not be read.

Locks: RUN(run) by its guarded event, or RUN rows of the revision, ascending → the source is written under them; inserts
    source_capture (parents: source, owner) → CHAT(chat) → OUTBOX.
Idempotent: a fetch that runs twice adds a capture; the source names the latest. A person's come with an update.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipeline.domain.errors import NotYours
from pipeline.ports.fetch import Fetched
from storage.locks import Lock
from storage.transactions.outbox.enqueue import show_progress
from storage.transactions.run.cancel import lock_runs, replaced, resume_locked
from storage.transactions.run.event import guarded_event
from storage.tx import Tx

INSERT = """
INSERT INTO source_capture (source_id, owner_id, way, input_type, address, final_address, redirects, status, media_type,
                            charset, robots, etag, last_modified, blob_key, raw_sha256, size_bytes, captured_at)
VALUES (:source, :owner, :way, :input_type, :address, :final, cast(:redirects AS jsonb), :status, :media_type, :charset,
        :robots, :etag, :modified, :blob, :raw, :size, :now) RETURNING id
"""
POINT = """
UPDATE source SET capture_id = :capture, input_type = :input_type, blob_key = :blob, raw_sha256 = :raw,
       size_bytes = :size, name = coalesce(:name, name), version_id = NULL WHERE id = :source
"""
READ = "UPDATE source_capture SET version_id = :version WHERE id = :capture"
OF_REVISION = """
SELECT v.id, v.chat_id, e.source_id FROM episode_revision v JOIN episode e ON e.id = v.episode_id
 WHERE v.id = :revision AND v.owner_id = :owner
"""
STATE = "SELECT state FROM episode_revision WHERE id = :revision"
LOCK_CHAT = "SELECT id FROM chat WHERE id = :id FOR NO KEY UPDATE"
FORGET = "UPDATE chat SET dialogue = NULL WHERE id = :chat"


@dataclass(frozen=True)
class Bytes:
    """Stored bytes and what they are. ``name`` None keeps the source's; ``charset`` is the carrier's word."""

    input_type: str
    blob_key: str
    raw_sha256: str
    size_bytes: int
    name: str | None = None
    charset: str | None = None


async def save_capture(
    tx: Tx,
    bytes_: Bytes,
    fetched: Fetched,
    *,
    source_id: int,
    run_id: int,
    fence: int,
    done: dict[str, Any],
    now: datetime,
    point: bool,
) -> int:
    """Record what was fetched. ``point``: make it what the source is read from now; a refresh only looks first."""
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="fetch", data=done)
    capture = await _insert(
        tx, bytes_, source_id=source_id, owner_id=run["owner_id"], way="fetched", now=now, of=fetched
    )
    if point:
        await point_at(tx, bytes_, source_id=source_id, capture_id=capture)
    return capture


async def point_at(tx: Tx, bytes_: Bytes, *, source_id: int, capture_id: int) -> None:
    """The source is read from these bytes from now on. Under the lock of one of its runs."""
    await tx.run(
        POINT,
        source=source_id,
        capture=capture_id,
        input_type=bytes_.input_type,
        blob=bytes_.blob_key,
        raw=bytes_.raw_sha256,
        size=bytes_.size_bytes,
        name=bytes_.name,
    )


async def became(tx: Tx, *, capture_id: int, version_id: int) -> None:
    """A capture was read as this version."""
    await tx.run(READ, capture=capture_id, version=version_id)


async def supply(tx: Tx, bytes_: Bytes, *, owner_id: int, revision_id: int, way: str, now: datetime) -> bool:
    """The person gives the text of a source that could not be read; its failed runs go on with it (rule SRC-5).

    ``way`` is ``pasted``, ``uploaded`` or ``unlocked``. The address and the question stay what they were.

    Returns:
        False when nothing of the revision had failed, its script is made, or another question took its place: the
        bytes are not taken, and the caller says so.

    Raises:
        NotYours: no such revision of this owner.
    """
    found = await tx.row(OF_REVISION, revision=revision_id, owner=owner_id)
    if found is None:
        raise NotYours(f"revision {revision_id} is not of owner {owner_id}")
    runs = await lock_runs(tx, revision_id=revision_id, owner_id=owner_id)
    # A script rests on the text it was made from, and a wait for a decision about money is not ended by a text.
    draft = (await tx.one(STATE, revision=revision_id))["state"] == "DRAFT"
    waits = any(run["state"] == "WAITING_REVIEW" for run in runs)
    if not draft or waits or await replaced(tx, revision_id=revision_id):
        return False
    if not await resume_locked(tx, runs, now=now, event_kind="supplied"):
        return False
    capture = await _insert(tx, bytes_, source_id=found["source_id"], owner_id=owner_id, way=way, now=now)
    await point_at(tx, bytes_, source_id=found["source_id"], capture_id=capture)
    await tx.lock(Lock.CHAT, found["chat_id"], LOCK_CHAT)
    await tx.run(FORGET, chat=found["chat_id"])
    await show_progress(tx, chat_id=found["chat_id"], kind="receipt", subject_id=revision_id)
    return True


async def _insert(
    tx: Tx, bytes_: Bytes, *, source_id: int, owner_id: int, way: str, now: datetime, of: Fetched | None = None
) -> int:
    row = await tx.one(
        INSERT,
        source=source_id,
        owner=owner_id,
        way=way,
        input_type=bytes_.input_type,
        address=of.address if of else None,
        final=of.final_address if of else None,
        redirects=json.dumps(of.redirects if of else ()),
        status=of.status if of else None,
        media_type=of.media_type if of else None,
        charset=of.charset if of else None,
        robots=of.robots if of else None,
        etag=of.etag if of else None,
        modified=of.last_modified if of else None,
        blob=bytes_.blob_key,
        raw=bytes_.raw_sha256,
        size=bytes_.size_bytes,
        now=now,
    )
    return int(row["id"])
