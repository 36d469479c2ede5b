"""The labels that Word counts by itself: 第一条, 一、, （二）, 1.1, (a).

A list's levels count together: a new number on one level starts the deeper ones again. Lists that share an abstract
numbering go on counting, unless one of them starts anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pipeline.intake.docx_names import W, on, value
from pipeline.intake.tree_numbering import written

_DIGITS = "〇一二三四五六七八九"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_CHINESE = frozenset(
    "chineseCounting chineseCountingThousand chineseLegalSimplified taiwaneseCounting taiwaneseCountingThousand"
    " japaneseCounting ideographDigital japaneseDigitalTenThousand koreanCounting".split()
)
_PLACE = re.compile(r"%([1-9])")
_HEADING = re.compile(r"(?:heading|title|标题)\s*\d?$", re.IGNORECASE)
_TIGHT = "、）)】」：:　．"
_MAX_LEVELS = 9


@dataclass(frozen=True)
class Label:
    """``item``: the paragraph is a list item and no heading. ``text`` is empty for a bullet."""

    text: str
    item: bool


@dataclass(frozen=True)
class _Level:
    start: int
    format: str
    text: str
    arabic: bool  # isLgl: numbers of the levels above in figures


class Labels:
    """Counts through one document. Ask once per paragraph, in order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}  # abstract numbering → levels
        self._lists: dict[str, str] = {}  # numbering id → abstract
        self._restarts: dict[str, dict[int, int]] = {}  # numbering id → level → start
        self._counts: dict[str, list[int]] = {}
        self._styles: dict[str, Any] = {}
        if numbering is not None:
            self._read(numbering)
        for style in styles.iter(f"{W}style") if styles is not None else ():
            self._styles[style.get(f"{W}styleId", "")] = style

    def _read(self, numbering: Any) -> None:
        for abstract in numbering.iter(f"{W}abstractNum"):
            levels = {_number(lvl.get(f"{W}ilvl"), 0): _level(lvl) for lvl in abstract.iter(f"{W}lvl")}
            self._levels[abstract.get(f"{W}abstractNumId", "")] = levels
        for listed in numbering.iter(f"{W}num"):
            key = listed.get(f"{W}numId", "")
            self._lists[key] = value(listed, "abstractNumId") or ""
            starts = {
                _number(o.get(f"{W}ilvl"), 0): _number(value(o, "startOverride"), 1)
                for o in listed.iter(f"{W}lvlOverride")
                if value(o, "startOverride")
            }
            if starts:
                self._restarts[key] = starts

    def of(self, paragraph: Any) -> Label | None:
        """Return the paragraph's label; None for a paragraph that is not numbered."""
        properties = paragraph.find(f"{W}pPr")
        style = (value(properties, "pStyle") if properties is not None else None) or ""
        listed, depth = self._numbered(properties, style)
        abstract = self._lists.get(listed or "")
        level = self._levels.get(abstract or "", {}).get(depth)
        if abstract is None or level is None:
            return None
        counts = self._count(listed or "", abstract, depth)
        heading = self._is_heading(style)
        if level.format == "bullet":
            return Label("", item=not heading)
        if level.format == "none" and not _PLACE.search(level.text):
            return None if not level.text else Label(level.text, item=False)
        text = _PLACE.sub(lambda m: self._written(abstract, counts, int(m.group(1)) - 1, level), level.text).strip()
        if not text:
            return None
        return Label(text if text[-1] in _TIGHT else f"{text} ", item=not heading)

    def _numbered(self, properties: Any, style: str) -> tuple[str | None, int]:
        """The numbering and level of a paragraph: its own, else its style's, or of the styles that one rests on."""
        listed: str | None = None
        depth: int | None = None
        seen: set[str] = set()
        while True:
            told = properties.find(f"{W}numPr") if properties is not None else None
            if told is not None:
                listed = value(told, "numId") if listed is None else listed
                own = value(told, "ilvl")
                depth = _number(own, 0) if depth is None and own is not None else depth
            if listed is not None or style in seen or style not in self._styles:
                return listed, depth or 0
            seen.add(style)
            properties = self._styles[style].find(f"{W}pPr")
            style = value(self._styles[style], "basedOn") or ""

    def _count(self, listed: str, abstract: str, depth: int) -> list[int]:
        levels = self._levels[abstract]
        counts = self._counts.setdefault(abstract, [0] * _MAX_LEVELS)
        for level, start in self._restarts.pop(listed, {}).items():
            if level < _MAX_LEVELS:
                counts[level] = start - 1
        if depth < _MAX_LEVELS:
            first = levels[depth].start - 1
            counts[depth] = max(counts[depth], first) + 1
            counts[depth + 1 :] = [0] * (_MAX_LEVELS - depth - 1)
        return counts

    def _written(self, abstract: str, counts: list[int], depth: int, asking: _Level) -> str:
        level = self._levels[abstract].get(depth)
        number = counts[depth] or (level.start if level else 1)
        return str(number) if asking.arabic or level is None else _formatted(number, level.format)

    def _is_heading(self, style: str) -> bool:
        named = self._styles.get(style)
        return bool(_HEADING.match((value(named, "name") or "") if named is not None else style))


def _level(element: Any) -> _Level:
    return _Level(
        start=_number(value(element, "start"), 1),
        format=value(element, "numFmt") or "decimal",
        text=(value(element, "lvlText") or "")[:40],
        arabic=on(element, "isLgl"),
    )


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) < 7 else otherwise


def _formatted(number: int, kind: str) -> str:
    if kind in _CHINESE:
        return _chinese(number)
    if kind in ("lowerLetter", "upperLetter", "lowerRoman", "upperRoman"):
        return written(number, {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}[kind])
    if kind == "decimalEnclosedCircle" and 1 <= number <= 20:
        return chr(0x245F + number)
    if kind == "ideographTraditional" and 1 <= number <= len(_STEMS):
        return _STEMS[number - 1]
    if kind == "ideographZodiac" and 1 <= number <= len(_BRANCHES):
        return _BRANCHES[number - 1]
    return str(number)


def _chinese(number: int) -> str:
    """一 to 九百九十九; figures beyond."""
    if not 0 < number < 1_000:
        return str(number)
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    said = f"{_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        said += ("" if tens == 1 and not hundreds else _DIGITS[tens]) + "十"
    elif hundreds and ones:
        said += "零"
    return said + (_DIGITS[ones] if ones else "")
