"""What stands in a chat, by sequence (rule RUN-7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot


@dataclass(frozen=True)
class MessageView:
    """``payload`` is the rendered Outbound as data, or the person's own words and file names."""

    id: int
    seq: int
    author: str  # person | bot
    kind: str
    subject_id: int | None
    args: dict[str, Any]
    payload: dict[str, Any]
    created_at: datetime
    edited_at: datetime | None


@dataclass(frozen=True)
class ThreadView:
    """Messages in the order they were first sent; ``cursor`` is the chat's seq of the same read."""

    chat_id: int
    owner_id: int
    language: str
    cursor: int
    messages: tuple[MessageView, ...]
    earlier: int  # older messages that are not in this view


CHAT = """
SELECT c.id, c.owner_id, c.seq, o.language FROM chat c JOIN owner o ON o.id = c.owner_id WHERE c.id = :chat
"""
LAST = """
SELECT * FROM (SELECT id, seq, author, kind, subject_id, args, payload, created_at, edited_at FROM chat_message
                WHERE chat_id = :chat AND id < :before ORDER BY id DESC LIMIT :limit) newest ORDER BY id
"""
CHANGED = """
SELECT id, seq, author, kind, subject_id, args, payload, created_at, edited_at FROM chat_message
 WHERE chat_id = :chat AND seq > :cursor ORDER BY seq LIMIT :limit
"""
COUNT = "SELECT count(*) AS n FROM chat_message WHERE chat_id = :chat AND id < :before"


async def thread(engine: AsyncEngine, chat_id: int, *, limit: int = 100, before: int | None = None) -> ThreadView:
    """The newest ``limit`` messages, or those before message ``before``."""
    async with snapshot(engine) as tx:
        chat = await tx.one(CHAT, chat=chat_id)
        rows = await tx.rows(LAST, chat=chat_id, limit=limit, before=before or 2**62)
        first = rows[0]["id"] if rows else 0
        earlier = (await tx.one(COUNT, chat=chat_id, before=first))["n"]
    messages = tuple(MessageView(**row) for row in rows)
    return ThreadView(chat["id"], chat["owner_id"], chat["language"], chat["seq"], messages, earlier)


async def changed_since(engine: AsyncEngine, chat_id: int, cursor: int, *, limit: int = 50) -> tuple[MessageView, ...]:
    """Messages new or edited after ``cursor``, oldest change first. The next cursor is the last one's seq."""
    async with snapshot(engine) as tx:
        return tuple(MessageView(**row) for row in await tx.rows(CHANGED, chat=chat_id, cursor=cursor, limit=limit))
