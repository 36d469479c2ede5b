"""``/word``: what a person can ask of the bot itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from storage.queries.chat.inbox import UpdateView
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx

Act = Callable[[Tx], Awaitable[None]]
_HELP = frozenset({"/help", "/start"})


def plan(update: UpdateView, text: str) -> Act | None:
    """The act of a command; None when ``text`` is none. An unknown one is answered with the help."""
    word = text.split(maxsplit=1)[0].lower().partition("@")[0] if text.startswith("/") else ""
    if not word or not word[1:].isascii() or not word[1:].isalpha():
        return None

    async def act(tx: Tx) -> None:
        if word == "/queue":
            await say(tx, chat_id=update.chat_id, kind="queue")
        else:
            key = "help" if word in _HELP else "unknown_command"
            await say(tx, chat_id=update.chat_id, kind="note", args={"key": key, "values": {}})

    return act
