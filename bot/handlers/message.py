"""A message of a person: sources with or without a question, an answer to what the bot asked, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bot.errors import reason_of
from bot.handlers import command, supply
from bot.handlers.acts import ask, note, submit
from bot.handlers.context import Act, Context
from bot.handlers.dialogue import kept_question, waiting_for
from bot.handlers.uploads import pasted, routed
from pipeline.commands.episode import MAX_QUESTION_CHARS, Upload, link_upload
from pipeline.domain.address import find_links
from pipeline.domain.errors import InputRejected
from storage.queries.chat.about import about
from storage.queries.chat.inbox import UpdateView
from storage.transactions.chat.expect import expect
from storage.transactions.chat.settle_update import concerns
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx

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
    links, words = links_of(update.payload)
    if not files and not text and not links:
        raise InputRejected("empty_message")
    own_words = not files and not update.payload.get("forwarded")
    if own_words and (act := await command.plan(context, update, text)) is not None:
        return act
    revision = waiting_for(update, "password_for", context.clock.now())
    # Nothing but links is no password: whoever goes on with something else must not lose it.
    if revision is not None and text and not files and not (links and not words):
        return await supply.unlock(context, update, revision, text)
    revision = waiting_for(update, "body_for", context.clock.now())
    if revision is not None and (files or not links):
        return await supply.body(context, update, revision, files, text)
    if files or (links and len(words) < SOURCE_CHARS):
        own = None if update.payload.get("forwarded") else words or None
        kept = None if own else kept_question(update)
        act = await _sources(context, update, files, links, own or kept)
        return _forgetting(update, act) if kept else act
    return await _text(context, update, text)


def links_of(payload: dict[str, Any]) -> tuple[tuple[str, ...], str]:
    """The links of a message, each once, and the words that are left without them.

    ``links`` of the payload are those that the messenger marked, also where the text does not show them; ``carried``
    come from what the message quotes or replies to.
    """
    links, words = split_links(str(payload.get("text", "")), payload.get("links", []))
    return tuple(dict.fromkeys((*links, *payload.get("carried", [])))), words


def split_links(text: str, marked: list[list[Any]] | None = None) -> tuple[tuple[str, ...], str]:
    """The links of a text, each once, and the words that are left; ``marked`` are ``[start, end, address]``."""
    spans = [(int(start), int(end), str(address)) for start, end, address in marked or ()]
    free = [f for f in find_links(text) if not any(f[0] < end and start < f[1] for start, end, _ in spans)]
    found = sorted([*spans, *free])
    left, at = [], 0
    for start, end, _ in found:
        left.append(text[at:start])
        at = max(at, end)
    words = " ".join("".join([*left, text[at:]]).split())
    # A smiley or a bullet that stood before a link is no question.
    return tuple(dict.fromkeys(url for _, _, url in found)), words if any(c.isalnum() for c in words) else ""


async def _text(context: Context, update: UpdateView, text: str) -> Act:
    # A text too long for a question is a source, also while the bot waits for one: nothing of it is cut off unsaid.
    if len(text) <= MAX_QUESTION_CHARS and not update.payload.get("forwarded"):
        replied = await about(context.engine, chat_id=update.chat_id, ref=update.payload.get("reply_ref"))
        waiting = replied or waiting_for(update, "question_for", context.clock.now())
        if waiting is not None:
            return _answer(context, update, waiting, text)
    if len(text) < SOURCE_CHARS:
        return _kept(context, update, text)
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


def _kept(context: Context, update: UpdateView, text: str) -> Act:
    """A short text by itself, on a messenger, may be the question to what comes next (rule CHT-9).

    Raises:
        InputRejected: it is no question, or the channel sends question and material together.
    """
    if not update.members or update.payload.get("forwarded") or not text.endswith(_QUESTION_END):
        raise InputRejected("text_too_short")

    async def act(tx: Tx) -> None:
        until = context.clock.now() + timedelta(seconds=context.asking.default_after_s)
        await expect(tx, chat_id=update.chat_id, dialogue={"asked": text, "until": until.isoformat()})
        await note(tx, update, "question_kept")

    return act


def _forgetting(update: UpdateView, act: Act) -> Act:
    """A question that was kept is asked once."""

    async def both(tx: Tx) -> None:
        await act(tx)
        await expect(tx, chat_id=update.chat_id, dialogue=None)

    return both


async def _sources(
    context: Context, update: UpdateView, files: list[dict[str, Any]], links: tuple[str, ...], question: str | None
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
    return submitting(context, update, uploads, question, refused)


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
            revision = await submit(context, update, tx, upload, number=number, question=question)
            for member in update.members:
                await concerns(tx, member.id, revision_id=revision)
        for one in refused or ():
            key, values = reason_of(one.error)
            await say(tx, chat_id=update.chat_id, kind="note", args={"key": key, "values": values, "file": one.name})

    return act


def _answer(context: Context, update: UpdateView, revision: int, text: str) -> Act:
    async def act(tx: Tx) -> None:
        asked = await ask(context, update, tx, revision, text)
        for member in update.members:
            await concerns(tx, member.id, revision_id=asked)

    return act
