"""A message that may not have arrived: what it was, and the way to send it again (rule CHT-2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.channels.port import Button, Outbound
from bot.texts import chat
from bot.texts.words import Lang


def lost(outbox_id: int, args: Mapping[str, Any], state: str, lang: Lang) -> Outbound:
    """``args`` is ``{"of": kind, "part", "parts"}`` of the outbox row ``outbox_id``, ``state`` what it is in now."""
    of, part, parts = chat.LOST_KINDS.get(str(args.get("of")), chat.LOST_MESSAGE), args["part"], args["parts"]
    what = of(lang) if parts == 1 else chat.LOST_PART(lang, what=of(lang), part=part, parts=parts)
    if state != "unknown":
        said = chat.LOST_AGAIN(lang, what=what)
        return Outbound(kind="lost", text=said, card={"say": said, "name": said}, ended=True)
    said = chat.LOST(lang, what=what)
    button = Button(chat.SEND_AGAIN(lang), "resend", {"outbox": outbox_id}, style="main")
    return Outbound(kind="lost", text=said, card={"say": said, "name": said}, buttons=(button,))
