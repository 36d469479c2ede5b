"""Where sentences begin and end, for Chinese and for Latin scripts: offsets only, the text is never touched.

Chunks are cut and excerpts are read at these places, so both use this one rule. A newline ends a sentence, unless the
line was broken only because it was full (hard-wrapped text).
"""

from __future__ import annotations

import re
import unicodedata

MAX_CHARS = 300  # a longer "sentence" (no punctuation at all) is cut at its commas, then anywhere
_SEMICOLON_FROM = 24  # a semicolon ends a sentence of at least this many characters
_FULL_LINE = 60  # columns (Han count two) from which a line counts as full

_CLOSERS = "”’\"'」』）)】》〉］\\]"
_END = re.compile(
    rf"(?P<stop>[。！？!?｡…]+[{_CLOSERS}]*)"
    rf"|(?P<dot>\.[{_CLOSERS}]*)(?=\s|$)"
    rf"|(?P<semicolon>[；;][{_CLOSERS}]*)"
    r"|(?P<line>[^\S\n]*\n\s*)"
)
_OPEN = re.compile("[（(][^）)]*$")  # a bracket that is not closed yet
_ABBREVIATION = re.compile(
    r"(?:^|[\s(“\"])(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Fig|Eq|Sec|Vol|pp?|vs|etc|al|cf|e\.g|i\.e|z\.B|[A-Z](?:\.[A-Z])*)\.$"
)
_NUMBERED = re.compile(r"^\s*\(?\d{1,3}(?:\.\d{1,3})*\.$")  # "1." opens a list item, it does not end a sentence
_LIST_START = re.compile(
    r"\s*(?:[-*•·●○■◆▪]|[（(]?[0-9一二三四五六七八九十]{1,3}[)）.、．]|第[0-9一二三四五六七八九十百]+[条章节款])"
)
_CONTINUES = re.compile(r"[，,、：:；;—\-（(“‘「]$")


def width(text: str) -> int:
    """Columns of a terminal: Han and full-width forms count two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return the sentences of ``text[start:end]`` as trimmed, ascending, disjoint ranges that hold every non-space."""
    end = len(text) if end is None else end
    found: list[tuple[int, int]] = []
    open_at = start
    for match in _END.finditer(text, start, end):
        if match.end() > open_at and _ends(text, open_at, match, end):
            _add(found, text, open_at, match.end())
            open_at = match.end()
    _add(found, text, open_at, end)
    return found


def _ends(text: str, open_at: int, match: re.Match[str], end: int) -> bool:
    kind, after = match.lastgroup, match.end()
    if kind == "stop":
        ascii_mark = match.group()[0] in "!?"
        return not ascii_mark or after >= end or not (text[after].isascii() and text[after].isalnum())
    if kind == "semicolon":
        if _OPEN.search(text, open_at, match.start()):
            return False
        return after - open_at >= _SEMICOLON_FROM and (
            match.group()[0] == "；" or not text[match.start() - 1].isascii()
        )
    if kind == "dot":
        before = text[max(open_at, match.start() - 12) : match.start() + 1]
        return not (_ABBREVIATION.search(before) or _NUMBERED.match(text[open_at : match.start() + 1]))
    if match.group().count("\n") > 1:
        return True
    line_start = max(open_at, text.rfind("\n", 0, match.start()) + 1)
    return line_ends(text, line_start, match.start(), match.end())


def line_ends(text: str, line_start: int, line_end: int, next_start: int) -> bool:
    """Whether the line ``text[line_start:line_end]`` was ended by its author; False when it was merely full."""
    line = text[line_start:line_end].strip()
    if not line or _LIST_START.match(text, next_start):
        return True
    full = len(line) >= _FULL_LINE // 2 and width(line) >= _FULL_LINE and line[-1] not in "。！？!?"
    return not full and not (len(line) >= _FULL_LINE // 3 and _CONTINUES.search(line))


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    start, end = trimmed(text, start, end)
    while end - start > MAX_CHARS:
        cut = _soft_cut(text, start, start + MAX_CHARS)
        found.append(trimmed(text, start, cut))
        start, end = trimmed(text, cut, end)
    if start < end:
        found.append((start, end))


def _soft_cut(text: str, start: int, limit: int) -> int:
    """The last comma, else the last space, in the second half of the range; else the limit itself."""
    middle = start + (limit - start) // 2
    for marks in ("；;，,、：:", " \n\t"):
        at = max(text.rfind(mark, middle, limit) for mark in marks)
        if at >= 0:
            return at + 1
    return limit


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without the white space at both of its ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, max(start + left, start + len(piece.rstrip()))
