"""The numbers that a browser draws before the items of ordered lists: "step 3" must be found again."""

from __future__ import annotations

import re
from typing import Any

_OWN_NUMBER = re.compile(
    "[（(]?[0-9０-９一二三四五六七八九十]{1,3}[)）.、．：:]|第[0-9一二三四五六七八九十百]{1,4}[步条项章节款]"
    "|步骤|Step \\d",
    re.IGNORECASE,
)
_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_WHOLE = re.compile(r"[+-]?\d{1,6}$")


class Numbering:
    """The lists around a place, and the mark of an item that was opened and has not spoken yet."""

    def __init__(self) -> None:
        self._lists: list[tuple[int, int, str] | None] = []  # (next number, step, type); None: not numbered
        self._mark = ""

    def enter(self, element: Any, tag: str) -> None:
        if tag in ("ol", "ul", "list", "dl"):
            self._lists.append(_start(element) if tag == "ol" else None)
        elif tag == "li" and self._lists and (counter := self._lists[-1]):
            number, step, kind = counter
            number = _whole(element.get("value"), number)
            self._lists[-1] = (number + step, step, kind)
            self._mark = f"{written(number, kind)}. "
        elif tag == "li":
            self._mark = ""

    def leave(self, tag: str) -> None:
        if tag in ("ol", "ul", "list", "dl") and self._lists:
            self._lists.pop()

    def take(self, line: str) -> str:
        """Return the open item's mark, once; none before a line that brings its own number."""
        mark, self._mark = self._mark, ""
        return "" if _OWN_NUMBER.match(line) else mark


def _start(element: Any) -> tuple[int, int, str] | None:
    if "list-style:none" in (style := (element.get("style") or "").replace(" ", "")) or "type:none" in style:
        return None
    backwards = "reversed" in element.attrib
    first = sum(1 for item in element if item.tag == "li") if backwards else 1
    return _whole(element.get("start"), first), -1 if backwards else 1, element.get("type", "1")[:1]


def _whole(value: str | None, otherwise: int) -> int:
    return int(value) if value and _WHOLE.match(value.strip()) else otherwise


def written(number: int, kind: str) -> str:
    if kind in "aA" and 1 <= number <= 26:
        return chr(ord(kind) + number - 1)
    if kind in "iI" and 1 <= number < 40:
        roman = ""
        for value, letters in _ROMAN:
            count, number = divmod(number, value)
            roman += letters * count
        return roman if kind == "i" else roman.upper()
    return str(number)
