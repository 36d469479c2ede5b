"""What several handlers do inside the one transaction of an update."""

from __future__ import annotations

from typing import Any

from bot.handlers.context import Context
from pipeline.commands.episode import Upload, ask_question, submit_source
from storage.queries.chat.about import pressed_message
from storage.queries.chat.inbox import UpdateView
from storage.queries.episode.owned import message_kind
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx


async def note(tx: Tx, update: UpdateView, key: str, **values: Any) -> None:
    """One sentence in the chat; ``key`` is of bot/texts."""
    await say(tx, chat_id=update.chat_id, kind="note", args={"key": key, "values": values})


async def ask(context: Context, update: UpdateView, tx: Tx, revision: int, question: str, by: str = "person") -> int:
    """Put ``question`` to the source of ``revision``; the revision that answers. Raises NotYours."""
    return await ask_question(
        tx,
        owner_id=update.owner_id,
        revision_id=revision,
        question=question,
        by=by,
        asking=context.asking,
        now=context.clock.now(),
    )


async def submit(
    context: Context, update: UpdateView, tx: Tx, upload: Upload, *, number: int, question: str | None
) -> int:
    """Make thing ``number`` of the update a source with the question; its revision. The number is part of its key."""
    return await submit_source(
        tx,
        upload,
        owner_id=update.owner_id,
        chat_id=update.chat_id,
        request_key=f"{update.channel}:{update.external_id}:{number}",
        question=question,
        question_by="person",
        asking=context.asking,
        now=context.clock.now(),
    )


async def pressed_card(tx: Tx, update: UpdateView, kind: str) -> int | None:
    """The pressed message if it is a ``kind``, which then edits itself; None: the press is answered below it."""
    pressed = update.payload.get("message_id")
    if pressed is None:
        pressed = await pressed_message(tx, chat_id=update.chat_id, ref=update.payload.get("message_ref"))
    return pressed if await message_kind(tx, pressed, chat_id=update.chat_id) == kind else None
