"""The card of settings: what is set, and a button for each choice."""

from __future__ import annotations

from typing import get_args

from bot.channels.port import Button, Outbound
from bot.texts import command
from bot.texts.words import Lang
from storage.queries.owner.settings import SettingsView


def settings(view: SettingsView, lang: Lang) -> Outbound:
    """What is chosen is marked and still pressable: pressing it again changes nothing."""
    said = command.SETTINGS_CARD(
        lang,
        language=command.LANGUAGE_NAME(lang),
        zone=_zone(view.time_zone, lang),
        voice=view.voice or command.SETTINGS_NO_VOICE(lang),
    )
    languages = [
        Button(_marked(command.LANGUAGE_NAME(one), chosen=one == lang), "language", {"index": index})
        for index, one in enumerate(get_args(Lang))
    ]
    zones = [
        Button(_marked(label(lang), chosen=name == view.time_zone), "zone", {"index": index})
        for index, (name, label) in enumerate(command.ZONES.items())
    ]
    name = said.partition("\n")[0]
    return Outbound(kind="settings", text=said, card={"say": said, "name": name}, buttons=(*languages, *zones))


def _zone(name: str, lang: Lang) -> str:
    return f"{label(lang)} ({name})" if (label := command.ZONES.get(name)) is not None else name


def _marked(label: str, *, chosen: bool) -> str:
    return f"✓ {label}" if chosen else label
