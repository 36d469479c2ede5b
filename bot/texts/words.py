"""How a user-visible string is kept and looked up: both languages stand side by side, so neither can be forgotten.

A string is a ``Text`` constant of a noun module (``source``, ``episode``, ``chat``, ``web``) and is called with the
language and its values: ``episode.SENTENCES("en", n=3)``. Not here: any wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from string import Formatter
from typing import Any, Literal

Lang = Literal["zh", "en"]
Value = str | int | float


class _Words(Formatter):
    """``{n:page|pages}`` reads "1 page", "1,200 pages": English counts need their noun in the right number."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" not in format_spec:
            return str(super().format_field(value, format_spec))
        one, many = format_spec.split("|")
        return f"{value:,} {one if value == 1 else many}"


_WORDS = _Words()


@dataclass(frozen=True)
class Text:
    """One sentence or label in both languages. Placeholders are those of ``str.format``, the same in both."""

    zh: str
    en: str

    def __call__(self, lang: Lang, /, **values: Value) -> str:
        """Raises KeyError when a placeholder has no value: a half-filled sentence is never shown."""
        return _WORDS.vformat(self.zh if lang == "zh" else self.en, (), values)

    def placeholders(self, lang: Lang) -> frozenset[str]:
        template = self.zh if lang == "zh" else self.en
        return frozenset(field for _, field, _, _ in _WORDS.parse(template) if field)


def lang_of(name: str | None) -> Lang:
    """``zh`` unless the stored or sent name begins with ``en``."""
    return "en" if name is not None and name.lower().startswith("en") else "zh"


def joined(parts: Mapping[str, str] | list[str] | tuple[str, ...], lang: Lang) -> str:
    """A list in running text: 甲、乙、丙 or a, b, c."""
    return ("、" if lang == "zh" else ", ").join(parts)


def clock(ms: int) -> str:
    """``252_000`` → ``4:12``; what a player shows, rounded down like the player does."""
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02d}"


def span(ms: int, lang: Lang) -> str:
    """``161_000`` → 2 分 41 秒 / 2 min 41 s; below a minute only seconds, never less than one."""
    minutes, seconds = divmod(max(1, round(ms / 1000)), 60)
    minute, second = ("分", "秒") if lang == "zh" else ("min", "s")
    if not minutes:
        return f"{seconds} {second}"
    return f"{minutes} {minute} {seconds} {second}" if seconds else f"{minutes} {minute}{'' if lang == 'en' else '钟'}"


def size(size_bytes: int) -> str:
    """``3_250_000`` → ``3.1 MB``; binary units as file managers show them, one decimal from a megabyte up."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.0f} KB"
    return f"{size_bytes / 1024 / 1024:.1f} MB"


_WEEKDAYS_ZH = "一二三四五六日"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def day(of: date, lang: Lang) -> str:
    """11 月 30 日　星期一 / Monday, 30 November; a date as people say it."""
    if lang == "zh":
        return f"{of.month} 月 {of.day} 日　星期{_WEEKDAYS_ZH[of.weekday()]}"
    return f"{_WEEKDAYS[of.weekday()]}, {of.day} {_MONTHS[of.month - 1]}"


def short_day(of: date, lang: Lang) -> str:
    """11 月 30 日 / 30 November."""
    return f"{of.month} 月 {of.day} 日" if lang == "zh" else f"{of.day} {_MONTHS[of.month - 1]}"
