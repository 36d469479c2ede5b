"""Spoken text: what is written for the ear, and how long it may take to say (rules TTS-3, TTS-4).

Spoken text is plain text. The only mark in it is Unicode's interlinear annotation, which pins the reading of a word
the owner's lexicon names: ``U+FFF9 word U+FFFA pinyin U+FFFB``. ``plain`` drops the pins for a voice or a scorer that
cannot use them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ANCHOR, SEPARATOR, END = "\ufff9", "\ufffa", "\ufffb"

_PINNED = re.compile(f"{ANCHOR}([^{SEPARATOR}]*){SEPARATOR}([^{END}]*){END}")
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_VOWELS = re.compile(r"[aeiouy]+")


def pinned(word: str, reading: str) -> str:
    """``word`` with its reading, e.g. ``pinned("重庆", "chong2 qing4")``."""
    return f"{ANCHOR}{word}{SEPARATOR}{reading}{END}"


def plain(spoken: str) -> str:
    """``spoken`` without pins."""
    return _PINNED.sub(r"\1", spoken)


def runs(spoken: str) -> Iterator[tuple[str, str | None]]:
    """Yield ``(text, reading)`` in order; ``reading`` is None where none is pinned."""
    at = 0
    for found in _PINNED.finditer(spoken):
        if found.start() > at:
            yield spoken[at : found.start()], None
        yield found[1], found[2]
        at = found.end()
    if at < len(spoken):
        yield spoken[at:], None


def is_han(character: str) -> bool:
    """Of one character: a Chinese character in any of Unicode's blocks for them."""
    return (
        "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def beats(spoken: str) -> int:
    """How many characters' worth of sound ``spoken`` is: the unit in which TTS-4 measures seconds per character.

    A Han character or a digit is one. A Latin word takes its syllables (groups of vowels), not its letters, because
    "transformer" is three beats long and not eleven; capitals alone ("GPU") are said letter by letter, W as two.
    Punctuation, spaces and pins are none.
    """
    text = plain(spoken)
    count = sum(1 for c in text if is_han(c) or c.isdigit())
    for word in _WORD.findall(text):
        if word.isupper():
            count += len(word) + word.count("W")
        else:
            count += max(1, len(_VOWELS.findall(word.lower().removesuffix("e"))))
    return count
