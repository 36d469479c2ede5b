"""One sentence in the chat, with buttons where there is a way on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot import errors
from bot.channels.port import Button, Outbound
from bot.texts.words import Lang


def note(key: str, values: Mapping[str, Any], lang: Lang, buttons: Sequence[Button] = ()) -> Outbound:
    """``key`` is a key of bot/texts (``chat.NOTES``) or an error reason; an unknown one gives the general sentence."""
    said = errors.sentence(key, values, lang)
    return Outbound(kind="note", text=said, card={"say": said, "key": key}, buttons=tuple(buttons))
