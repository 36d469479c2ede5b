"""Text as Telegram counts it: in UTF-16 units, with entities instead of markup, cut at our own blocks (rule CHT-4)."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.channels.port import Mark, Outbound

TEXT_UNITS, CAPTION_UNITS = 4096, 1024  # core.telegram.org/bots/api#sendmessage, #sendvoice
# Where a text may be cut, best first: between blocks, lines, sentences, words.
_CUTS = tuple(re.compile(mark) for mark in (r"\n\n+", r"\n", r"(?<=[。！？；!?;])|(?<=\.)\s", r"\s"))


def units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def code_points(text: str, offset: int, length: int) -> tuple[int, int]:
    """Start and end in code points of a range in UTF-16 units; a range that cuts a character is widened to it.

    Half of a pair cannot be decoded, so each end is counted by what lies before it.
    """
    raw = text.encode("utf-16-le")

    def at(unit: int, *, up: bool) -> int:
        end = min(2 * unit, len(raw))
        if 0 < end < len(raw) and 0xDC <= raw[end + 1] <= 0xDF:  # between the halves of a pair
            end += 2 if up else -2
        return len(raw[:end].decode("utf-16-le", "surrogatepass"))

    return at(offset, up=False), at(offset + length, up=True)


def split(text: str, first: int, rest: int) -> tuple[tuple[int, int], ...]:
    """Ranges in code points, each within its limit of UTF-16 units: ``first`` for the first, ``rest`` for the others.

    White space at a cut belongs to neither side. The ranges cover everything else, in order.
    """
    found, at, limit = [], 0, first
    while units(text[at:]) > limit:
        end = _cut(text, at, limit)
        found.append((at, len(text[:end].rstrip()) if text[at:end].strip() else end))
        at, limit = end + len(text[end:]) - len(text[end:].lstrip()), rest
    return (*found, (at, len(text)))


def _cut(text: str, at: int, limit: int) -> int:
    """The last good place to cut so that ``text[at:end]`` is within ``limit`` units; never inside a character."""
    _, last = code_points(text[at : at + limit], 0, limit)
    while units(text[at : at + last]) > limit:
        last -= 1
    window = text[at : at + last]
    for place in _CUTS:
        ends = [m.end() for m in place.finditer(window) if m.end() > len(window) // 4]
        if text[at + last : at + last + 1].isspace() and place.pattern in (r"\n", r"\s"):
            ends.append(last)
        if ends:
            return at + ends[-1]
    return at + last


def cut(outbound: Outbound, first: int, rest: int = TEXT_UNITS) -> tuple[Outbound, ...]:
    """The message as messages that fit. Media goes with the first, the buttons with the last: they end the message."""
    ranges = split(outbound.text, first, rest)
    if len(ranges) == 1:
        return (outbound,)
    parts = []
    for number, (start, end) in enumerate(ranges):
        parts.append(
            replace(
                outbound,
                text=outbound.text[start:end],
                marks=_within(outbound.marks, start, end),
                media=outbound.media if number == 0 else None,
                fallback=outbound.fallback if number == 0 else None,
                buttons=outbound.buttons if number == len(ranges) - 1 else (),
                card={},
            )
        )
    return tuple(parts)


def _within(marks: tuple[Mark, ...], start: int, end: int) -> tuple[Mark, ...]:
    return tuple(
        replace(mark, start=max(mark.start, start) - start, end=min(mark.end, end) - start)
        for mark in marks
        if mark.start < end and mark.end > start
    )
