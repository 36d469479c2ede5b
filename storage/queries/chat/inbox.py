"""What waits to be handled: per chat, the oldest update (rule CHT-1: one chat at a time, in order)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import Row, Tx, snapshot

# An update waits while its time has not come or a file of it, or of its album, is not there; so do the later messages
# of its chat. A press does not: whoever pressed is waiting for the answer (rule CHT-5).
WAITING = """
WITH stored AS (
  SELECT * FROM inbox_update u WHERE u.state = 'stored' AND u.channel = ANY(:channels)
), waits AS (
  SELECT s.id, s.chat_id, s.album FROM stored s
   WHERE s.due_at > coalesce(cast(:now AS timestamptz), now())
      OR EXISTS (SELECT 1 FROM inbox_file f WHERE f.update_id = s.id AND f.state = 'waiting')
), held AS (
  SELECT s.chat_id, min(s.id) AS id FROM stored s
    JOIN waits w ON w.chat_id = s.chat_id AND (w.id = s.id OR w.album = s.album) GROUP BY s.chat_id
)
SELECT DISTINCT ON (u.chat_id) u.id, u.chat_id, u.external_id, u.payload, u.received_at, u.channel,
       c.owner_id, c.dialogue, o.language, u.album
  FROM stored u JOIN chat c ON c.id = u.chat_id JOIN owner o ON o.id = c.owner_id
  LEFT JOIN held h ON h.chat_id = u.chat_id
 WHERE h.id IS NULL OR u.id < h.id OR u.payload->>'type' = 'press'
 ORDER BY u.chat_id, u.id
"""
MEMBERS = """
SELECT id, payload FROM inbox_update
 WHERE chat_id = :chat AND album = :album AND state = 'stored' AND channel = :channel ORDER BY id
"""
FILES = """
SELECT update_id, name, state, blob_key, sha256, size_bytes, reason, tries FROM inbox_file
 WHERE update_id = ANY(:updates) ORDER BY update_id, number
"""


@dataclass(frozen=True)
class FileView:
    """A file of an update: its bytes, or why there are none."""

    name: str
    blob_key: str | None
    sha256: str | None
    size_bytes: int | None
    reason: str | None
    tries: int


@dataclass(frozen=True)
class MemberView:
    """One update of an album, or the update itself."""

    id: int
    payload: dict[str, Any]
    files: tuple[FileView, ...]


@dataclass(frozen=True)
class UpdateView:
    """``members`` are this update and those that belong to it, in order; empty for a channel that knows no albums."""

    id: int
    chat_id: int
    external_id: str
    payload: dict[str, Any]
    received_at: datetime
    channel: str
    owner_id: int
    dialogue: dict[str, Any] | None
    language: str
    members: tuple[MemberView, ...] = ()


async def waiting(
    engine: AsyncEngine, *, channels: Sequence[str], now: datetime | None = None
) -> tuple[UpdateView, ...]:
    """``now`` is the clock of due times; None takes the database's."""
    async with snapshot(engine) as tx:
        return tuple([await _view(tx, row) for row in await tx.rows(WAITING, channels=list(channels), now=now)])


async def _view(tx: Tx, row: Row) -> UpdateView:
    of = {key: value for key, value in row.items() if key != "album"}
    if row["channel"] == "web":
        return UpdateView(**of)
    members = [row]
    if row["album"] is not None:
        found = await tx.rows(MEMBERS, chat=row["chat_id"], album=row["album"], channel=row["channel"])
        members = [member for member in found if member["id"] >= row["id"]]
    files: dict[int, list[FileView]] = {member["id"]: [] for member in members}
    for file in await tx.rows(FILES, updates=list(files)):
        files[file["update_id"]].append(
            FileView(**{name: file[name] for name in ("name", "blob_key", "sha256", "size_bytes", "reason", "tries")})
        )
    return UpdateView(**of, members=tuple(MemberView(m["id"], m["payload"], tuple(files[m["id"]])) for m in members))
