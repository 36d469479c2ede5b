"""What a messenger's refusal says about a chat or a token: blocked for a while, gone, moved, no voice notes (CHT-3).

Locks: ``shut``: GATEWAY(name) → CHAT(chat), by its updates. ``deactivate``, ``keep_only``: CHAT rows → OUTBOX
rows. ``move_chat``: CHAT rows, ascending, → OUTBOX rows. ``rest``, ``no_voice``, ``target_gone``: one row each.
Idempotent: each sets what is so.
"""

from __future__ import annotations

from datetime import datetime

from pipeline.domain.sending import block
from storage.locks import Lock
from storage.tx import Tx

OTHERS = "SELECT 1 FROM chat WHERE channel = :channel AND id <> :chat AND blocked_until > :now LIMIT 1"
# greatest() ignores NULL: a ban only grows, whichever of two answers is written last.
SHUT_TOKEN = "UPDATE gateway SET blocked_until = greatest(blocked_until, :until) WHERE name = :name"  # noqa: S105
SHUT_CHAT = "UPDATE chat SET blocked_until = greatest(blocked_until, :until) WHERE id = :chat"
REST = "UPDATE chat SET next_at = greatest(next_at, :until) WHERE id = :chat"
LOCK_CHAT = "SELECT id FROM chat WHERE id = :id FOR NO KEY UPDATE"
DEACTIVATE = "UPDATE chat SET deactivated_at = :now WHERE id = :chat AND deactivated_at IS NULL"
CANCEL = "UPDATE outbox_message SET state = 'cancelled' WHERE chat_id = :chat AND state = 'queued'"
ACTIVATE = "UPDATE chat SET deactivated_at = NULL WHERE id = :chat AND deactivated_at IS NOT NULL"
# A private chat has its person's number. Whoever is allowed again is served from their next message on.
FOREIGN = """
UPDATE chat SET deactivated_at = :now
 WHERE channel = :channel AND NOT grouped AND owner_id IS NOT NULL AND deactivated_at IS NULL
   AND external_id <> ALL(:people)
RETURNING id
"""
NO_VOICE = "UPDATE chat SET voice_forbidden = true WHERE id = :chat"
GONE = "UPDATE chat_message SET gone_at = :now WHERE id = :message"
FIND = """
SELECT id, external_id, owner_id FROM chat
 WHERE channel = :channel AND external_id IN (:old, :new) ORDER BY id FOR NO KEY UPDATE
"""
MOVE = "UPDATE chat SET external_id = :new, grouped = true, deactivated_at = NULL WHERE id = :chat"
# The new address wrote first and has a chat already: what waits goes there, and so does what is still to be handled.
HAND_OVER = (
    "UPDATE outbox_message SET chat_id = :to WHERE chat_id = :chat AND state IN ('queued', 'sending', 'unknown')"
)
HAND_OVER_RUNS = "UPDATE episode_revision SET chat_id = :to WHERE chat_id = :chat"


async def shut(
    tx: Tx, *, channel: str, name: str, chat_id: int, now: datetime, retry_after_s: float, token: bool = False
) -> None:
    """After a 429. ``token``: it was the token's for sure."""
    others = token or await tx.row(OTHERS, channel=channel, chat=chat_id, now=now) is not None
    until = block(now, retry_after_s, others_blocked=others)
    if until.token_until is not None:
        await tx.run(SHUT_TOKEN, name=name, until=until.token_until)
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    await tx.run(SHUT_CHAT, chat=chat_id, until=until.chat_until)


async def rest(tx: Tx, *, chat_id: int, until: datetime) -> None:
    """The pace counts from the end of a request: one that took long arrived late, and the next must not be close."""
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    await tx.run(REST, chat=chat_id, until=until)


async def deactivate(tx: Tx, *, chat_id: int, now: datetime) -> int:
    """Nothing of this chat can be sent: what waits is cancelled; how many."""
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    await tx.run(DEACTIVATE, chat=chat_id, now=now)
    return await tx.run(CANCEL, chat=chat_id)


async def keep_only(tx: Tx, *, channel: str, people: frozenset[int], now: datetime) -> int:
    """Whoever was taken off the list is sent nothing more (rule SEC-1); how many chats that closed."""
    closed = await tx.rows(FOREIGN, channel=channel, people=[str(person) for person in people], now=now)
    for id in sorted(row["id"] for row in closed):
        await tx.run(CANCEL, chat=id)
    return len(closed)


async def activate(tx: Tx, *, chat_id: int) -> bool:
    """The person came back. True when the chat had been given up."""
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    return await tx.run(ACTIVATE, chat=chat_id) == 1


async def move_chat(tx: Tx, *, channel: str, old: str, new: str, now: datetime) -> None:
    """A group became a supergroup: the same chat at another address. Does nothing for a chat nobody knows."""
    rows = {row["external_id"]: row for row in await tx.rows(FIND, channel=channel, old=old, new=new)}
    if old not in rows:
        return
    for id in sorted(row["id"] for row in rows.values()):
        tx.holding(Lock.CHAT, id)
    if new not in rows:
        await tx.run(MOVE, chat=rows[old]["id"], new=new)
        await tx.wake()
        return
    await tx.run(HAND_OVER_RUNS, chat=rows[old]["id"], to=rows[new]["id"])
    await tx.run(HAND_OVER, chat=rows[old]["id"], to=rows[new]["id"])
    await tx.run(DEACTIVATE, chat=rows[old]["id"], now=now)
    await tx.wake()


async def no_voice(tx: Tx, *, chat_id: int) -> None:
    """This person takes no voice notes: from now on sound goes as a file."""
    await tx.lock(Lock.CHAT, chat_id, LOCK_CHAT)
    await tx.run(NO_VOICE, chat=chat_id)


async def target_gone(tx: Tx, *, message_id: int, now: datetime) -> None:
    """The messenger has this message no more; it is not edited again."""
    await tx.run(GONE, message=message_id, now=now)
