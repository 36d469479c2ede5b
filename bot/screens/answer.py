"""What flashes over the chat when a button was pressed; nothing, where the press shows its own effect (rule CHT-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot import errors
from bot.channels.port import Outbound
from bot.texts.words import Lang


def answer(note: Mapping[str, Any] | None, lang: Lang) -> Outbound:
    """``note`` is ``{"key", "values"}`` of a sentence, as in a note of the chat."""
    said = "" if note is None else errors.sentence(note["key"], note.get("values", {}), lang)
    return Outbound(kind="answer", text=said)
