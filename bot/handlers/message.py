"""A message of a person: sources with or without a question, a question that was asked for, or neither."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from bot.errors import reason_of
from bot.handlers.context import Context
from pipeline.commands.episode import MAX_QUESTION_CHARS, Upload, ask_question, submit_source
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Reason
from pipeline.intake.route import route
from storage.queries.chat.inbox import UpdateView
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx

LINK = re.compile(r"https?://\S+", re.IGNORECASE)
# From here on, text alone is a source and not a remark; the web page turns such a paste into an attachment already.
SOURCE_CHARS = 200
_QUESTION_END = ("？", "?")
_QUESTION_CHARS = 120


async def plan(context: Context, update: UpdateView) -> Callable[[Tx], Awaitable[None]]:
    files, text = update.payload.get("files", []), str(update.payload.get("text", "")).strip()
    if not files and not text:
        raise InputRejected("empty_message")
    if files:
        return await _files(context, update, files, text or None)
    if LINK.fullmatch(text):  # before the question that is waited for: no link is a question
        raise InputRejected(Reason.LINK_NOT_YET)
    # A text too long for a question is a source, also while the bot waits for one: nothing of it is cut off unsaid.
    waiting = _waiting_question(update, context.clock.now()) if len(text) <= MAX_QUESTION_CHARS else None
    if waiting is not None:
        return _answer(context, update, waiting, text)
    if LINK.search(text) and len(text) < SOURCE_CHARS:
        raise InputRejected(Reason.LINK_NOT_YET)
    if len(text) < SOURCE_CHARS:
        raise InputRejected("text_too_short")
    body, question = split_question(text)
    blob = await context.blobs.put(body.encode(), owner_id=update.owner_id)
    return _submit(context, update, [Upload("", InputType.PASTE, blob.key, blob.sha256, blob.size_bytes)], question)


def split_question(text: str) -> tuple[str, str | None]:
    """A pasted text and the question in its first or last line, if one stands there by itself."""
    lines = text.splitlines()
    if len(lines) > 1:
        for at in (-1, 0):
            line = lines[at].strip()
            if line.endswith(_QUESTION_END) and len(line) <= _QUESTION_CHARS:
                rest = lines[:-1] if at == -1 else lines[1:]
                return "\n".join(rest).strip(), line
    return text, None


async def _files(
    context: Context, update: UpdateView, files: list[dict[str, Any]], question: str | None
) -> Callable[[Tx], Awaitable[None]]:
    """Each file for itself: one that is refused gets its own note, under its name, and the others go on.

    Raises:
        InputRejected: the only file is refused.
    """
    uploads: list[Upload | None] = []
    refused: list[tuple[InputRejected, str]] = []
    for file in files:
        try:
            uploads.append(await _routed(context, file))
        except InputRejected as error:
            if len(files) == 1:
                raise
            uploads.append(None)
            refused.append((error, str(file.get("name", ""))))
    submit = _submit(context, update, uploads, question)

    async def act(tx: Tx) -> None:
        await submit(tx)
        for error, name in refused:
            key, values = reason_of(error)
            await say(tx, chat_id=update.chat_id, kind="note", args={"key": key, "values": values, "file": name})

    return act


async def _routed(context: Context, file: dict[str, Any]) -> Upload:
    data = await context.blobs.get(file["blob_key"])
    name = str(file.get("name", ""))
    kind = InputType.PASTE if file.get("paste") else route(data, name=name, limits=context.sources)
    if not data.strip():
        raise InputRejected(Reason.EMPTY_FILE)
    return Upload(name, kind, file["blob_key"], file["sha256"], len(data))


def _submit(
    context: Context, update: UpdateView, uploads: list[Upload | None], question: str | None
) -> Callable[[Tx], Awaitable[None]]:
    async def act(tx: Tx) -> None:
        for number, upload in enumerate(uploads):  # the number is part of the key: a refused file keeps its place
            if upload is None:
                continue
            await submit_source(
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

    return act


def _answer(context: Context, update: UpdateView, revision: int, text: str) -> Callable[[Tx], Awaitable[None]]:
    async def act(tx: Tx) -> None:
        await ask_question(
            tx,
            owner_id=update.owner_id,
            revision_id=revision,
            question=text,
            by="person",
            asking=context.asking,
            now=context.clock.now(),
        )

    return act


def _waiting_question(update: UpdateView, now: datetime) -> int | None:
    """The revision whose question this text is, if the bot asked for one and still waits (rule CHT-9)."""
    dialogue = update.dialogue
    if not dialogue or "question_for" not in dialogue:
        return None
    until = dialogue.get("until")
    # The update's own time counts: a text that was sent in time is in time, however late it is handled.
    if until is not None and update.received_at > datetime.fromisoformat(until):
        return None
    return int(dialogue["question_for"])
