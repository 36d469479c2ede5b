"""The ways out of a source that could not be read: its text, another file of it, its password (rule SRC-5)."""

from __future__ import annotations

from typing import Any

from bot.handlers.acts import note, submit
from bot.handlers.context import Act, Context
from bot.handlers.uploads import pasted, routed
from pipeline.commands.episode import Upload, supply_source
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType
from storage.queries.chat.inbox import UpdateView
from storage.queries.source.locked import locked_bytes
from storage.tx import Tx


async def body(context: Context, update: UpdateView, revision: int, files: list[dict[str, Any]], text: str) -> Act:
    """The first file, or else the text, continues the source; further files are sources of their own.

    Raises:
        InputRejected: it is of no kind that is read, or too little; the bot goes on waiting for it.
    """
    if files:
        uploads = [await routed(context, file) for file in files]
        return _supplying(context, update, revision, uploads, text or None)
    if len("".join(text.split())) < context.sources.min_chars:
        raise InputRejected("text_too_short")
    return _supplying(context, update, revision, [await pasted(context, text, owner_id=update.owner_id)], None)


async def unlock(context: Context, update: UpdateView, revision: int, password: str) -> Act:
    """Open the PDF with ``password`` and keep it without: the password itself is stored nowhere.

    Raises:
        InputRejected: WRONG_PASSWORD; the bot goes on waiting for the right one.
        ChildDied: the file does the parser in.
    """
    there = await locked_bytes(context.engine, revision, owner_id=update.owner_id)
    if there is None:
        raise InputRejected("stale_press")
    data = await context.parser.unlock(await context.blobs.get(there.blob_key), password=password)
    blob = await context.blobs.put(data, owner_id=update.owner_id)
    upload = Upload(there.name, InputType.PDF, blob.key, blob.sha256, blob.size_bytes)
    return _supplying(context, update, revision, [upload], None, way="unlocked")


def _supplying(
    context: Context,
    update: UpdateView,
    revision: int,
    uploads: list[Upload],
    question: str | None,
    *,
    way: str | None = None,
) -> Act:
    async def act(tx: Tx) -> None:
        first, *more = uploads
        how = way or ("pasted" if first.input_type is InputType.PASTE else "uploaded")
        now = context.clock.now()
        taken = await supply_source(tx, first, owner_id=update.owner_id, revision_id=revision, way=how, now=now)
        if taken:
            await note(tx, update, f"supplied_{how}")
        if taken and question and not more:
            await note(tx, update, "supplied_words")
        # What the source does not need any more is not lost: it is a source of its own.
        for number, upload in enumerate(more if taken else uploads):
            await submit(context, update, tx, upload, number=number, question=question)

    return act
