"""``/settings``: the card, what is written behind the word, and its buttons.

A button says what shall be, not what shall change: pressed twice or on an old card it makes the same true again, and
the card that was pressed is brought to what is true (rule CHT-5).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import get_args
from zoneinfo import available_timezones

from bot.handlers.acts import note, pressed_card
from bot.handlers.context import Act
from bot.texts.command import ZONES
from bot.texts.words import Lang
from storage.queries.chat.inbox import UpdateView
from storage.transactions.outbox.enqueue import say
from storage.transactions.owner.set_language import set_language
from storage.transactions.owner.set_time_zone import set_time_zone
from storage.tx import Tx

LANGUAGES = get_args(Lang)
_MAX_SHOWN = 60  # characters of a wrong name that are said back


def written(update: UpdateView, words: str) -> Act:
    """``/settings``, ``/settings zone Area/City``; anything else is told how."""
    word, _, rest = words.partition(" ")
    zone = zone_of(rest)

    async def act(tx: Tx) -> None:
        if word.lower() == "zone" and zone is None:
            await note(tx, update, "zone_unknown", zone=rest.strip()[:_MAX_SHOWN])
        elif word and word.lower() != "zone":
            await note(tx, update, "settings_usage")
        else:
            if word and zone is not None:
                await set_time_zone(tx, owner_id=update.owner_id, time_zone=zone)
            await say(tx, chat_id=update.chat_id, kind="settings", class_="guarded")

    return act


def zone_of(name: str) -> str | None:
    """The IANA name that is meant, in any case and with spaces for its underscores; None when there is none."""
    return _zones().get("_".join(name.split()).lower())


@cache
def _zones() -> dict[str, str]:
    """Names of places and UTC: abbreviations such as EST mean different things to different people."""
    return {name.lower(): name for name in available_timezones() if "/" in name or name == "UTC"}


async def show(tx: Tx, update: UpdateView) -> str | None:
    await say(tx, chat_id=update.chat_id, kind="settings", class_="guarded")
    return None


async def language(tx: Tx, update: UpdateView) -> str | None:
    return await _set(tx, update, LANGUAGES, set_language_of)


async def zone(tx: Tx, update: UpdateView) -> str | None:
    return await _set(tx, update, tuple(ZONES), set_zone_of)


async def set_language_of(tx: Tx, owner_id: int, value: str) -> None:
    await set_language(tx, owner_id=owner_id, language=value)


async def set_zone_of(tx: Tx, owner_id: int, value: str) -> None:
    await set_time_zone(tx, owner_id=owner_id, time_zone=value)


async def _set(
    tx: Tx, update: UpdateView, choices: tuple[str, ...], make: Callable[[Tx, int, str], Awaitable[None]]
) -> str | None:
    index = update.payload.get("args", {}).get("index")
    if not isinstance(index, int) or not 0 <= index < len(choices):
        return "stale_press"
    await make(tx, update.owner_id, choices[index])
    target = await pressed_card(tx, update, "settings")
    await say(tx, chat_id=update.chat_id, kind="settings", target_id=target, class_="guarded")
    return None
