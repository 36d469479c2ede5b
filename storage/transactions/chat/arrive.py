"""What came from a messenger is stored before it is acknowledged: updates, albums, files, strangers (CHT-1, SEC-1).

Locks: CHAT(chat), made on the way → inserts inbox_update, inbox_file, outbox_message (parents: owner, chat).
Idempotent: by the messenger's id of the update and its digest. Ids may come again after a quiet week (Bot API,
``update_id``): the same id with other contents is another update.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pipeline.domain.errors import RequestConflict
from storage.locks import Lock
from storage.transactions.chat.store_update import store_update
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx, storable

CHAT = """
INSERT INTO chat (owner_id, channel, external_id, grouped) VALUES (:owner, :channel, :external_id, :grouped)
ON CONFLICT (channel, external_id)
DO UPDATE SET owner_id = excluded.owner_id, grouped = excluded.grouped, deactivated_at = NULL, refused_at = NULL
RETURNING id
"""
FIND = "SELECT id, owner_id FROM chat WHERE channel = :channel AND external_id = :external_id"
# A member that comes later moves the whole album: it is handled a while after its last.
ALBUM = """
UPDATE inbox_update SET due_at = :due
 WHERE chat_id = :chat AND album = :album AND state = 'stored' AND channel = :channel
"""
FILE = """
INSERT INTO inbox_file (update_id, number, name, remote, size_bytes, state, due_at, reason)
VALUES (:update, :number, :name, :remote, :size, :state, :now, :reason)
"""
ASIDE = """
INSERT INTO inbox_update (channel, external_id, payload, payload_sha256, state, error, handled_at)
VALUES (:channel, :external_id, cast(:payload AS jsonb), :digest, 'set_aside', :error, now())
ON CONFLICT (channel, external_id) DO NOTHING
"""
STRANGER = """
INSERT INTO chat (channel, external_id, refused_at) VALUES (:channel, :external_id, :now)
ON CONFLICT (channel, external_id)
DO UPDATE SET refused_at = excluded.refused_at WHERE chat.owner_id IS NULL AND chat.refused_at <= :before
RETURNING id
"""
ONCE_A = timedelta(days=1)
RAW_CHARS = 20_000


@dataclass(frozen=True)
class IncomingFile:
    """``remote`` is the messenger's id of the bytes; None with ``reason`` (a key of a sentence): not to be had."""

    name: str
    remote: str | None
    size_bytes: int | None
    reason: str | None


@dataclass(frozen=True)
class Incoming:
    """One update for a chat of the owner."""

    channel: str
    external_id: str
    digest: str  # SHA-256 of the raw update
    chat: str
    grouped: bool
    payload: dict[str, Any]
    message_ref: str | None
    album: str | None
    files: tuple[IncomingFile, ...]


async def arrive(tx: Tx, incoming: Incoming, *, owner_id: int, now: datetime, album_wait_s: float) -> bool:
    """Store it, with a row per file that is to be fetched. False: it was there already, or it is of no chat of ours."""
    chat_id = await _chat(tx, incoming, owner_id)
    if chat_id is None:
        return False
    due = None if incoming.album is None else now + timedelta(seconds=album_wait_s)
    update_id, new = await _stored(tx, incoming, chat_id, due)
    if not new:
        return False
    if incoming.album is not None:
        await tx.run(ALBUM, chat=chat_id, album=incoming.album, channel=incoming.channel, due=due)
    await _files(tx, update_id, incoming.files, now)
    return True


async def _chat(tx: Tx, incoming: Incoming, owner_id: int) -> int | None:
    """A message makes the chat; a press of a stranger only finds it."""
    if incoming.payload.get("verb") == "foreign":
        row = await tx.row(FIND, channel=incoming.channel, external_id=incoming.chat)
        return None if row is None or row["owner_id"] is None else int(row["id"])
    row = await tx.one(
        CHAT, owner=owner_id, channel=incoming.channel, external_id=incoming.chat, grouped=incoming.grouped
    )
    tx.holding(Lock.CHAT, row["id"])
    return int(row["id"])


async def _stored(tx: Tx, incoming: Incoming, chat_id: int, due: datetime | None) -> tuple[int, bool]:
    async def store(external_id: str) -> tuple[int, bool]:
        return await store_update(
            tx,
            channel=incoming.channel,
            external_id=external_id,
            chat_id=chat_id,
            payload=incoming.payload,
            digest=incoming.digest,
            message_ref=incoming.message_ref,
            album=incoming.album,
            due_at=due,
        )

    try:
        return await store(incoming.external_id)
    except RequestConflict:  # decided by reading, so the transaction is whole
        return await store(f"{incoming.external_id}:{incoming.digest[:16]}")


async def _files(tx: Tx, update_id: int, files: Sequence[IncomingFile], now: datetime) -> None:
    for number, file in enumerate(files):
        await tx.run(
            FILE,
            update=update_id,
            number=number,
            name=storable(file.name, 200),
            remote=file.remote,
            size=file.size_bytes,
            state="failed" if file.remote is None else "waiting",
            now=now,
            reason=file.reason,
        )


async def put_aside(tx: Tx, *, channel: str, external_id: str, digest: str, raw: str, error: str) -> None:
    """Keep an update that cannot be read, with its reason, out of everybody's way.

    ``raw`` is its text, kept as a string: as JSON it may hold what PostgreSQL cannot, such as NUL.
    """
    await tx.run(
        ASIDE,
        channel=channel,
        external_id=f"{external_id}:{digest[:16]}",
        payload=json.dumps({"raw": storable(raw, RAW_CHARS)}),
        digest=digest,
        error=storable(error, 500),
    )


async def knock(tx: Tx, *, channel: str, chat: str, person: int, now: datetime) -> bool:
    """Tell a stranger once a day that this is no bot for them; nothing else of them is kept (rule SEC-1)."""
    row = await tx.row(STRANGER, channel=channel, external_id=chat, now=now, before=now - ONCE_A)
    if row is None:
        return False
    await say(tx, chat_id=row["id"], kind="note", args={"key": "stranger", "values": {"id": str(person)}})
    return True


async def present(tx: Tx, *, channel: str, chat: str) -> int | None:
    """The chat of this address; None when it is none of ours."""
    row = await tx.row(FIND, channel=channel, external_id=chat)
    return None if row is None or row["owner_id"] is None else int(row["id"])
