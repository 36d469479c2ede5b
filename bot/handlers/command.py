"""``/word``: what a person can ask of the bot itself, alike in every channel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from bot.handlers import press, settings
from bot.handlers.acts import note
from bot.handlers.context import Act, Context
from bot.screens.receipt import named, receipt, state_of
from bot.texts.words import Lang, lang_of
from pipeline.commands.episode import clean_question
from pipeline.domain.errors import MissingRow
from pipeline.domain.run import RunState
from pipeline.evidence.terms import query_terms
from storage.queries.chat.inbox import UpdateView
from storage.queries.chat.newest import newest
from storage.queries.episode.owned import revision_of
from storage.queries.episode.receipt import ReceiptView
from storage.queries.episode.receipt import receipt as receipt_view
from storage.transactions.outbox.enqueue import say
from storage.transactions.owner.set_language import begin_in
from storage.tx import Tx

# A path such as /etc/hosts is no command; a name may be followed by the bot's own.
_COMMAND = re.compile(r"/([a-z][a-z0-9_]{0,31})(?:@\w+)?(?:\s+(.*))?", re.ASCII | re.IGNORECASE | re.DOTALL)


async def plan(context: Context, update: UpdateView, text: str) -> Act | None:
    """The act of a command; None when ``text`` is none. An unknown one is answered with the names of the known."""
    form = _COMMAND.fullmatch(text)
    if form is None:
        return None
    name, words = form[1].lower(), (form[2] or "").strip()
    if (make := _COMMANDS.get(name)) is None:
        return _note(update, "unknown_command")
    return await make(context, update, words)


def _note(update: UpdateView, key: str) -> Act:
    async def act(tx: Tx) -> None:
        await note(tx, update, key)

    return act


async def _help(context: Context, update: UpdateView, words: str) -> Act:
    return _note(update, "help")


async def _start(context: Context, update: UpdateView, words: str) -> Act:
    """The greeting, the first time in the language of the person's client."""
    client = client_language(update.payload.get("client_language"))

    async def act(tx: Tx) -> None:
        if client is not None:
            await begin_in(tx, owner_id=update.owner_id, language=client)
        await note(tx, update, "welcome")

    return act


def client_language(tag: object) -> Lang | None:
    """``zh-hans`` → ``zh``, ``en-GB`` → ``en``; None for a tag of another language, or none (IETF tags, RFC 5646)."""
    first = str(tag or "").lower().replace("_", "-").partition("-")[0]
    return lang_of(first) if first in ("zh", "en") else None


async def _queue(context: Context, update: UpdateView, words: str) -> Act:
    async def act(tx: Tx) -> None:
        await say(tx, chat_id=update.chat_id, kind="queue")

    return act


async def _find(context: Context, update: UpdateView, words: str) -> Act:
    """The words are cut here, in a thread: the first cut loads a dictionary."""
    asked = clean_question(words)
    if asked is None:
        return _note(update, "find_what")
    terms = list(await asyncio.to_thread(query_terms, asked))

    async def act(tx: Tx) -> None:
        await say(tx, chat_id=update.chat_id, kind="find", args={"words": asked, "terms": terms})

    return act


async def _settings(context: Context, update: UpdateView, words: str) -> Act:
    return settings.written(update, words)


async def _cancel(context: Context, update: UpdateView, words: str) -> Act:
    return await _newest(context, update, "cancel", press.cancel, "cancelled_newest", "no_run_to_cancel")


async def _retry(context: Context, update: UpdateView, words: str) -> Act:
    return await _newest(context, update, "retry", press.retry, "retried_newest", "no_run_to_retry")


async def _newest(context: Context, update: UpdateView, verb: str, button: press.Pressed, done: str, none: str) -> Act:
    """What the button under the newest message that offers it does; said, since that message may be far above."""
    lang = lang_of(update.language)
    if (found := await _offering(context, update, verb, lang)) is None:
        return _note(update, none)
    revision, title = found.revision_id, named(found, lang)

    async def act(tx: Tx) -> None:
        if (view := await revision_of(tx, revision, owner_id=update.owner_id)) is None:
            raise MissingRow(f"revision {revision}")
        # It may have ended since it was looked up: the locks inside decide.
        refused = await button(context, update, tx, view)
        await (note(tx, update, none) if refused else note(tx, update, done, title=title))

    return act


async def _offering(context: Context, update: UpdateView, verb: str, lang: Lang) -> ReceiptView | None:
    newest_first = await newest(context.engine, chat_id=update.chat_id, owner_id=update.owner_id, states=_STATES[verb])
    for revision in newest_first:
        view = await receipt_view(context.engine, revision)
        # A bare word decides nothing about money: that button says what it costs (rule TTS-1).
        decides = verb == "retry" and state_of(view) == "review"
        if not decides and any(shown.verb == verb for shown in receipt(view, lang).buttons):
            return view
    return None


_ENDED = ("FAILED", "CANCELLED")
_STATES = {"cancel": tuple(s for s in RunState if s not in (*_ENDED, "SUCCEEDED")), "retry": _ENDED}
_COMMANDS: dict[str, Callable[[Context, UpdateView, str], Awaitable[Act]]] = {
    "start": _start,
    "help": _help,
    "find": _find,
    "queue": _queue,
    "cancel": _cancel,
    "retry": _retry,
    "settings": _settings,
}
