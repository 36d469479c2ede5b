"""Views → HTML. Everything is escaped by the templates; only what this module builds from escaped parts is not again.

The same fragment stands in the page, in the stream of changes and in "earlier messages".
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import jieba
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.texts import episode, source, web
from bot.texts.words import Lang, Text, clock, day, short_day, size
from bot.web.session import Visitor
from storage.queries.chat.thread import MessageView

_OPENING, _CLOSING = frozenset("《「『（(【〈“‘./_-"), frozenset("》」』）)】〉”’，。、；：！？,.;:!?… ")
HTML_LANG: dict[Lang, str] = {"zh": "zh-CN", "en": "en"}
jieba.setLogLevel(logging.WARNING)


@lru_cache(maxsize=512)
def words(title: str) -> Markup:
    """``title`` with ``<wbr>`` between words, so that a heading never breaks inside one (DESIGN.md, 2)."""
    out, before = Markup(""), ""
    for token in jieba.cut(title):
        if before and before[-1] not in _OPENING and before[-1] != " " and token[0] not in _CLOSING:
            out += Markup("<wbr>")
        out += escape(token)
        before = token
    return out


def bars(peaks: Iterable[int]) -> list[dict[str, str]]:
    """64 peaks (0–100) as rectangles in a 255 × 40 box, four units apart; silence is still a dot."""
    drawn = []
    for n, peak in enumerate(peaks):
        height = max(3.0, min(36.0, peak * 0.36))
        drawn.append({"x": str(n * 4), "y": f"{20 - height / 2:g}", "h": f"{height:g}"})
    return drawn


def environment() -> Environment:
    env = Environment(
        loader=PackageLoader("bot.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.filters.update(words=words, bars=bars, size=size, clock=clock, data=_as_attribute)
    env.globals.update(t=web, episode=episode, source=source, new_key=lambda: str(uuid4()))
    return env


def _as_attribute(value: Any) -> str:
    """JSON for an attribute; the template escapes it like any text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


TEMPLATES = environment()


def page(name: str, *, lang: Lang, **values: Any) -> str:
    return TEMPLATES.get_template(name).render(lang=lang, html_lang=HTML_LANG[lang], **values)


@dataclass(frozen=True)
class When:
    """One instant in the owner's civil time."""

    iso: str
    time: str
    day: str  # ISO date, for comparing
    label: str


def when(moment: datetime, zone: ZoneInfo, lang: Lang) -> When:
    local = moment.astimezone(zone)
    return When(local.isoformat(timespec="minutes"), f"{local:%H:%M}", f"{local:%Y-%m-%d}", day(local.date(), lang))


def day_and_time(moment: datetime, zone: ZoneInfo, lang: Lang) -> str:
    local = moment.astimezone(zone)
    return f"{short_day(local.date(), lang)} {local:%H:%M}"


def message(view: MessageView, visitor: Visitor) -> str:
    """The ``<li id="m…">`` of one message."""
    known = view.kind if view.kind in ("said", "receipt", "voice", "claim", "transcript") else "note"
    return TEMPLATES.get_template("message.html").render(
        m=view,
        p=view.payload,
        card=view.payload.get("card", {}),
        kind=known,
        lang=visitor.lang,
        csrf=visitor.csrf,
        when=when(view.created_at, visitor.zone, visitor.lang),
    )


def messages(views: Iterable[MessageView], visitor: Visitor) -> Markup:
    """Messages in order with a line before each new day."""
    out, last = [], ""
    for view in views:
        at = when(view.created_at, visitor.zone, visitor.lang)
        if at.day != last:
            out.append(Markup('<li class="day" data-day="{}">{}</li>\n').format(at.day, at.label))
            last = at.day
        out.append(Markup(message(view, visitor)))  # noqa: S704 - rendered by an autoescaping template
    return Markup("").join(out)


_SCRIPT_WORDS: dict[str, Text] = {
    "sending": web.SENDING,
    "not_sent": web.NOT_SENT,
    "offline": web.NOT_SENT_OFFLINE,
    "again": web.SEND_AGAIN,
    "take_back": web.TAKE_BACK,
    "pasted": web.PASTED_CHIP,
    "remove": web.REMOVE,
    "empty": web.EMPTY_SEND,
    "lost": web.LOST,
    "back": web.BACK,
    "pressed": web.PRESSED,
    "press_failed": web.PRESS_FAILED,
    "play": web.PLAY,
    "pause": web.PAUSE,
    "no_play": web.NO_PLAY,
}
_TEMPLATED: dict[str, Text] = {
    "file_too_large": web.FILE_TOO_LARGE,
    "too_many": web.TOO_MANY,
    "speed": web.SPEED,
    "characters": web.CHARS,
}


def script_words(lang: Lang) -> dict[str, str]:
    """What the scripts say; placeholders stay as ``{name}`` for them to fill."""
    fixed = {key: text(lang) for key, text in _SCRIPT_WORDS.items()}
    return fixed | {key: _loose(text, lang) for key, text in _TEMPLATED.items()}


def _loose(text: Text, lang: Lang) -> str:
    """A script cannot count nouns: ``{n:character|characters}`` becomes ``{n} characters``."""
    raw = text.zh if lang == "zh" else text.en
    for plural in ("n:character|characters",):
        raw = raw.replace("{" + plural + "}", "{n} " + plural.rpartition("|")[2])
    return raw.replace("{n:,}", "{n}")
