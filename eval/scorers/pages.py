"""How much of an article a reading holds: character four-grams against a gold text, and named sentences.

Grams of characters instead of words give one measure for Chinese and for spaced scripts, and forgive the places where
two extractors break paragraphs. Both sides are compared without white space, invisible characters and list or
emphasis signs, in compatibility form and lower case, since a gold text may come from another renderer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_GRAM = 4
_SIGNS = re.compile("[\\s*_#>|`\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")


@dataclass(frozen=True)
class Overlap:
    """Shares of grams: ``precision`` of the reading that is gold, ``recall`` of the gold that was read."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def bare(text: str) -> str:
    """Return what of ``text`` is compared."""
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text)).lower()


def _grams(text: str) -> Counter[str]:
    letters = bare(text)
    return Counter(letters[at : at + _GRAM] for at in range(len(letters) - _GRAM + 1))


def overlap(gold: str, read: str) -> Overlap:
    """Compare multisets of grams, so that text read twice counts against precision; no text at all is 0 and 0."""
    wanted, found = _grams(gold), _grams(read)
    if not wanted or not found:
        return Overlap(0.0, 0.0)
    shared = (wanted & found).total()
    return Overlap(shared / found.total(), shared / wanted.total())


def held(segments: Iterable[str], read: str) -> int:
    """Return how many of ``segments`` stand in the reading."""
    letters = bare(read)
    return sum(bare(segment) in letters for segment in segments)


def same_title(gold: str, title: str) -> bool:
    """Whether one title holds the other: sites add their names to theirs, and golds keep them."""
    wanted, found = bare(gold), bare(title)
    return bool(found) and (wanted in found or found in wanted)


def mojibake(text: str, *, own: str = "") -> int:
    """Return how many characters show a wrong codec: replacement marks, and C1 controls, which no page means.

    Args:
        own: the bytes, decoded without a single error, where that is possible: what stands in there is the page's.
    """
    marks = (sum(c == "\ufffd" or "\x80" <= c <= "\x9f" for c in side) for side in (text, own))
    found, brought = marks
    return max(0, found - brought)
