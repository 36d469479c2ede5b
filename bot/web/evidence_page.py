"""The evidence as one file: player, script, quotes in their surroundings, and the whole stored text they point into.

Nothing is loaded from anywhere: styles, script and sound stand inside, and the file forbids itself every request. It
works from disk, without Earmark and without a network.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from markupsafe import Markup

from bot.screens.spoken_page import spoken_page
from bot.texts.words import Lang
from bot.web import markup
from storage.queries.episode.spoken import SpokenView

_STATIC = Path(__file__).parent / "static"


def page(view: SpokenView, lang: Lang, mp3: bytes | None, *, zone: ZoneInfo | None = None) -> str:
    """The complete HTML. ``mp3`` is put inside as data; None leaves the sound out and says so.

    Times are given in ``zone``, in UTC (and marked so) without one.
    """
    style, script = _inlined()
    sound = None if mp3 is None else "data:audio/mpeg;base64," + base64.b64encode(mp3).decode("ascii")
    return markup.page(
        "evidence.html",
        lang=lang,
        page=spoken_page(view, lang),
        view=view,
        sound=sound,
        style=Markup(style),  # noqa: S704 - our own files
        script=Markup(script),  # noqa: S704
        policy=policy(),
        words=markup.script_words(lang),
        made=_moment(view, zone, lang, made=True),
        fetched=_moment(view, zone, lang, made=False),
        app=False,
    )


@lru_cache(maxsize=1)
def _inlined() -> tuple[str, str]:
    read = {name: (_STATIC / name).read_text("utf-8") for name in ("tokens.css", "episode.css", "episode.js")}
    return f"\n{read['tokens.css']}\n{read['episode.css']}", f"\n{read['episode.js']}"


@lru_cache(maxsize=1)
def policy() -> str:
    """Only the two inlined texts, by their hashes, and data inside the file itself."""
    style, script = (base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in _inlined())
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}';"
        " media-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _moment(view: SpokenView, zone: ZoneInfo | None, lang: Lang, *, made: bool) -> str:
    moment = view.created_at if made else view.source.fetched_at
    said = markup.day_and_time(moment, zone or ZoneInfo("UTC"), lang)
    return said if zone else f"{said} {UTC}"
