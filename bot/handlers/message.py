"""A message of a person: sources with or without a question, an answer to what the bot asked, or neither."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.errors import reason_of
from bot.handlers import command, supply
from bot.handlers.context import Context
from bot.handlers.dialogue import waiting_for
from bot.handlers.uploads import pasted, routed
from pipeline.commands.episode import MAX_QUESTION_CHARS, Upload, ask_question, link_upload, submit_source
from pipeline.domain.address import find_links
from pipeline.domain.errors import InputRejected
from storage.queries.chat.inbox import UpdateView
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx

Act = Callable[[Tx], Awaitable[None]]
# From here on, text alone is a source and not a remark; the web page turns such a paste into an attachment already.
SOURCE_CHARS = 200
MAX_LINKS = 10
_QUESTION_END = ("？", "?")
_QUESTION_CHARS = 120


@dataclass(frozen=True)
class Refused:
    """One thing of a message that is not taken, while the others are."""

    error: InputRejected
    name: str


async def plan(context: Context, update: UpdateView) -> Act:
    """Raises InputRejected when nothing of the message can be taken."""
    files, text = update.payload.get("files", []), str(update.payload.get("text", "")).strip()
    if not files and not text:
        raise InputRejected("empty_message")
    if not files and (act := command.plan(update, text)) is not None:
        return act
    links, words = split_links(text)
    revision = waiting_for(update, "password_for", context.clock.now())
    # Nothing but links is no password: whoever goes on with something else must not lose it.
    if revision is not None and text and not files and not (links and not words):
        return await supply.unlock(context, update, revision, text)
    revision = waiting_for(update, "body_for", context.clock.now())
    if revision is not None and (files or not links):
        return await supply.body(context, update, revision, files, text)
    if files or (links and len(words) < SOURCE_CHARS):
        return await _sources(context, update, files, links, words)
    return await _text(context, update, text)


def split_links(text: str) -> tuple[tuple[str, ...], str]:
    """The links of a text, each once, and the words that are left without them."""
    found = find_links(text)
    left, at = [], 0
    for start, end, _ in found:
        left.append(text[at:start])
        at = end
    words = " ".join("".join([*left, text[at:]]).split())
    return tuple(dict.fromkeys(url for _, _, url in found)), words


async def _text(context: Context, update: UpdateView, text: str) -> Act:
    # A text too long for a question is a source, also while the bot waits for one: nothing of it is cut off unsaid.
    waiting = waiting_for(update, "question_for", context.clock.now()) if len(text) <= MAX_QUESTION_CHARS else None
    if waiting is not None:
        return _answer(context, update, waiting, text)
    if len(text) < SOURCE_CHARS:
        raise InputRejected("text_too_short")
    body, question = split_question(text)
    return submitting(context, update, [await pasted(context, body, owner_id=update.owner_id)], question)


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


async def _sources(
    context: Context, update: UpdateView, files: list[dict[str, Any]], links: tuple[str, ...], words: str
) -> Act:
    """Each file and each link for itself: one that is refused gets its own note, and the others go on.

    Raises:
        InputRejected: the only one is refused.
    """
    uploads: list[Upload | None] = []
    refused: list[Refused] = []
    alone = len(files) + len(links) == 1
    for file in files:
        try:
            uploads.append(await routed(context, file))
        except InputRejected as error:
            if alone:
                raise
            uploads.append(None)
            refused.append(Refused(error, str(file.get("name", ""))))
    for link in links[:MAX_LINKS]:
        try:
            uploads.append(link_upload(link, limits=context.fetch_limits, exempt=context.fetch_exempt))
        except InputRejected as error:
            if alone:
                raise
            uploads.append(None)
            refused.append(Refused(error, link[:80]))
    if len(links) > MAX_LINKS:
        refused.append(Refused(InputRejected("too_many_links", limit=MAX_LINKS), ""))
    return submitting(context, update, uploads, words or None, refused)


def submitting(
    context: Context,
    update: UpdateView,
    uploads: list[Upload | None],
    question: str | None,
    refused: list[Refused] | None = None,
) -> Act:
    """Each upload becomes a source with the question; what was refused is said."""

    async def act(tx: Tx) -> None:
        for number, upload in enumerate(uploads):  # the number is part of the key: a refused one keeps its place
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
        for one in refused or ():
            key, values = reason_of(one.error)
            await say(tx, chat_id=update.chat_id, kind="note", args={"key": key, "values": values, "file": one.name})

    return act


def _answer(context: Context, update: UpdateView, revision: int, text: str) -> Act:
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
