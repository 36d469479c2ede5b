"""One sentence in the chat, with buttons where there is a way on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot import errors
from bot.channels.port import Button, Outbound
from bot.texts import chat, command
from bot.texts.words import Lang

# What to press first.
_BUTTONS = {"welcome": (("help", command.HOW), ("settings", command.SETTINGS))}


def note(key: str, values: Mapping[str, Any], lang: Lang, *, file: str = "") -> Outbound:
    """``key`` is a key of bot/texts (``chat.NOTES``) or an error reason; an unknown one gives the general sentence.

    ``file`` names what the sentence is about, when it is about one file of a message.
    """
    said = errors.sentence(key, values, lang)
    if file:
        said = chat.ABOUT_FILE(lang, file=file, said=said)
    buttons = tuple(Button(label(lang), verb) for verb, label in _BUTTONS.get(key, ()))
    return Outbound(kind="note", text=said, card={"say": said, "key": key}, buttons=buttons)
