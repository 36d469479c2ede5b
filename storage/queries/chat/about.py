"""What a message of a chat is about: for replies and edits, which name it by the messenger's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import Tx, snapshot

# Screens whose subject is a revision; later parts are about what their first part is about.
OF_BOT = """
SELECT m.subject_id AS revision_id FROM chat_message m
 WHERE m.chat_id = :chat AND m.external_ref = :ref AND m.author = 'bot'
   AND m.kind IN ('receipt', 'voice', 'claim', 'transcript')
 ORDER BY m.id DESC LIMIT 1
"""
OF_PERSON = """
SELECT revision_id, payload FROM inbox_update
 WHERE chat_id = :chat AND message_ref = :ref AND payload->>'type' = 'message' ORDER BY id DESC LIMIT 1
"""
PRESSED = "SELECT id, kind FROM chat_message WHERE chat_id = :chat AND external_ref = :ref ORDER BY id DESC LIMIT 1"


@dataclass(frozen=True)
class SaidView:
    """A message of a person as it was handled: what it asked, and its payload then."""

    revision_id: int | None
    payload: dict[str, Any]


async def about(engine: AsyncEngine, *, chat_id: int, ref: str | None) -> int | None:
    """The revision that the message ``ref`` is about, of the bot or of the person; None when there is none."""
    if ref is None:
        return None
    async with snapshot(engine) as tx:
        row = await tx.row(OF_BOT, chat=chat_id, ref=ref) or await tx.row(OF_PERSON, chat=chat_id, ref=ref)
    return None if row is None else row["revision_id"]


async def said(engine: AsyncEngine, *, chat_id: int, ref: str) -> SaidView | None:
    async with snapshot(engine) as tx:
        row = await tx.row(OF_PERSON, chat=chat_id, ref=ref)
    return None if row is None else SaidView(row["revision_id"], row["payload"])


async def pressed_message(tx: Tx, *, chat_id: int, ref: str | None) -> int | None:
    """The row of the message whose button was pressed."""
    row = None if ref is None else await tx.row(PRESSED, chat=chat_id, ref=ref)
    return None if row is None else int(row["id"])
