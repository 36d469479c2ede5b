"""Right-to-left text out of a PDF: glyphs from the left → characters in the order they are read.

PDF writers lay such lines out as they look, and pdfium turns only some of their words back. The look is the same for
everybody, so the order is made from it: the reverse of what a text system does when it shows a line. Not the whole
Unicode algorithm: no explicit marks, one level of embedding, which is what a printed line has.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from statistics import median

from pipeline.intake.pdf_glyphs import Glyph

_SPACE = 0.12  # em
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">", "«": "»", "（": "）", "【": "】"}
_MIRROR = {**_PAIRS, **{close: begin for begin, close in _PAIRS.items()}}


def logical(line: Sequence[Glyph]) -> str:
    """Return the characters of one line in reading order."""
    em = median(glyph.height for glyph in line) if line else 0.0
    letters = _with_spaces(sorted(_bases(line)), em)
    kinds = [_kind(text) for text in letters]
    right = sum(kind == "R" for kind in kinds)
    if not right:
        return "".join(letters)
    base = right >= sum(unicodedata.bidirectional(text[0]) == "L" for text in letters)
    runs = _runs(kinds, base="R" if base else "L")
    parts = []
    for kind, start, end in reversed(runs) if base else runs:
        its = letters[start:end]
        parts.append("".join(reversed(its)) if kind == "R" else "".join(its))
    text = "".join(parts)
    return _mirrored(text) if _is_closed_first(text) else text


def _bases(line: Sequence[Glyph]) -> list[tuple[float, float, str]]:
    """``(left, right, text)`` of each base character with the marks that sit on it."""
    bases = [glyph for glyph in line if not unicodedata.combining(glyph.text)]
    marks: dict[int, str] = {}
    for glyph in line:
        if unicodedata.combining(glyph.text) and bases:
            middle = (glyph.x0 + glyph.x1) / 2
            nearest = min(range(len(bases)), key=lambda n: abs((bases[n].x0 + bases[n].x1) / 2 - middle))
            marks[nearest] = marks.get(nearest, "") + glyph.text
    return [(g.x0, g.x1, g.text + marks.get(n, "")) for n, g in enumerate(bases)]


def _with_spaces(clusters: Sequence[tuple[float, float, str]], em: float) -> list[str]:
    letters: list[str] = []
    end: float | None = None
    for left, right, text in clusters:
        if end is not None and left - end > _SPACE * em:
            letters.append(" ")
        letters.append(text)
        end = right
    return letters


def _kind(text: str) -> str:
    """R, L, or N for what takes the direction of its surroundings; digits go from the left."""
    direction = unicodedata.bidirectional(text[0])
    if direction in ("R", "AL"):
        return "R"
    return "L" if direction in ("L", "EN", "AN") else "N"


def _runs(kinds: Sequence[str], *, base: str) -> list[tuple[str, int, int]]:
    """Runs of one direction; what is neutral between two of a kind joins them, else it goes with ``base``."""
    resolved = list(kinds)
    at = 0
    while at < len(kinds):
        if kinds[at] != "N":
            at += 1
            continue
        end = at
        while end < len(kinds) and kinds[end] == "N":
            end += 1
        before = resolved[at - 1] if at else base
        after = kinds[end] if end < len(kinds) else base
        resolved[at:end] = [before if before == after else base] * (end - at)
        at = end
    runs: list[tuple[str, int, int]] = []
    for index, kind in enumerate(resolved):
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1], index + 1)
        else:
            runs.append((kind, index, index + 1))
    return runs


def _is_closed_first(text: str) -> bool:
    """Whether brackets stand the wrong way round: the font's pictures of them were mirrored."""
    for character in text:
        if character in _PAIRS:
            return False
        if character in _MIRROR:
            return True
    return False


def _mirrored(text: str) -> str:
    return "".join(_MIRROR.get(character, character) for character in text)
