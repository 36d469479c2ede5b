"""Characters of a PDF page with their boxes, as the reader sees the page."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from pipeline.intake.lines import HYPHEN_MARK
from pipeline.intake.pdf_frame import Frame
from pipeline.intake.rows import Piece

_LIGATED = frozenset("fijlst")
_PLAIN_MARKS = frozenset(".,;:!?%-")
_NEXT = 8  # characters, with the spaces and line ends that pdfium puts between two
_LEAN = 0.2  # radians
_SPACES = frozenset({9, 32, 0xA0})
_HYPHEN = 2  # pdfium's code for a hyphen that breaks a word at a line's end
_LINE_ENDS = frozenset({0, 10, 13})  # where pdfium ends its lines is what is looked at anew here
_WORD_GAP = 0.9  # em: a wider gap ends a piece of a line
_TWICE = 0.55  # share of the smaller box that two equal characters cover when one is printed over the other


class Glyph(NamedTuple):
    """One character. ``at``: its index on pdfium's page; ``spaced``: a space stands before it.

    ``leans``: it does not stand upright as most of the page's text does.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    at: int
    spaced: bool = False
    leans: bool = False

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


def glyphs_of(textpage: Any, frame: Frame, *, spaces: bool = False) -> list[Glyph]:
    """Every printed character in the order of the page's stream; a space is a flag of the next one.

    ``spaces``: they are characters too, with the places that pdfium gives them.
    """
    raw, count = textpage.raw, textpage.count_chars()
    box = pdfium.FS_RECTF()
    target = ctypes.byref(box)
    unicode_of, box_of, angle_of = (
        pdfium.FPDFText_GetUnicode,
        pdfium.FPDFText_GetLooseCharBox,
        pdfium.FPDFText_GetCharAngle,
    )
    upright = math.radians((360 - frame.rotation) % 360)
    found: list[Glyph] = []
    spaced, high = False, 0
    for index in range(count):
        code = unicode_of(raw, index)
        if 0xD800 <= code < 0xDC00:  # the first half of a character beyond the first plane
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code, high = (0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0xFFFD), 0
        if code in _SPACES:
            spaced = True
            if spaces and found and box_of(raw, index, target):
                x0, _, x1, _ = frame.seen(box.left, box.bottom, box.right, box.top)
                found.append(Glyph(" ", x0, found[-1].y0, x1, found[-1].y1, index))  # pdfium's own have no height
        elif code not in _LINE_ENDS and box_of(raw, index, target):
            seen = frame.seen(box.left, box.bottom, box.right, box.top)
            leans = abs((angle_of(raw, index) - upright + math.pi) % (2 * math.pi) - math.pi) > _LEAN
            found.append(Glyph(HYPHEN_MARK if code == _HYPHEN else chr(code), *seen, index, spaced, leans))
            spaced = False
    return found


def printed_over(glyphs: Sequence[Glyph]) -> dict[int, list[Glyph]]:
    """Return, by the ``at`` of a character, the equal ones that are printed over it (fake bold, pitfall P6)."""
    stays: dict[tuple[str, int, int], list[Glyph]] = {}
    copies: dict[int, list[Glyph]] = {}
    for glyph in glyphs:
        if not (glyph.text.isalnum() or glyph.text in _PLAIN_MARKS or glyph.text >= "\u3000"):
            continue  # brackets and bars of a formula are built of parts that overlap
        size = max(glyph.height, 1.0)
        column, row = int(glyph.x0 // size), int(glyph.middle // size)
        near = (
            other
            for dx in (0, -1, 1)
            for dy in (0, -1, 1)
            for other in stays.get((glyph.text, column + dx, row + dy), ())
        )
        below = next((other for other in near if _covers(glyph, other) and not _is_ligature(other, glyph)), None)
        if below is not None:
            copies.setdefault(below.at, []).append(glyph)
        else:
            stays.setdefault((glyph.text, column, row), []).append(glyph)
    return copies


def _is_ligature(one: Glyph, two: Glyph) -> bool:
    """Whether two equal letters are what pdfium made of one glyph: ff, tt."""
    return one.text in _LIGATED and two.at - one.at == 1 and one[1:5] == two[1:5]


def _covers(one: Glyph, two: Glyph) -> bool:
    across = min(one.x1, two.x1) - max(one.x0, two.x0)
    down = min(one.y1, two.y1) - max(one.y0, two.y0)
    smaller = min((one.x1 - one.x0) * one.height, (two.x1 - two.x0) * two.height)
    return smaller > 0 and across > 0 and down > 0 and across * down >= _TWICE * smaller


def pieces_of(glyphs: Sequence[Glyph], walls: Callable[[Glyph, Glyph], bool] | None = None) -> list[list[Glyph]]:
    """Cut the stream into runs that stand in one line without a wide gap, each from the left.

    ``walls`` says whether something is drawn between two neighbours.
    """
    runs: list[list[Glyph]] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is None or not _follows(last, glyph) or (walls is not None and walls(last, glyph)):
            runs.append([glyph])
        else:
            runs[-1].append(glyph)
        last = glyph
    return runs


def _follows(last: Glyph, glyph: Glyph) -> bool:
    one, two = last.y1 - last.y0, glyph.y1 - glyph.y0
    em = max(one, two, 0.1)  # some fonts tell no more of 一 than its stroke
    # Two letters out of one ligature have one box: a step back is one behind where the last one began.
    onward = glyph.x0 - last.x1 <= _WORD_GAP * em and glyph.x0 >= last.x0 - 0.3 * em
    return onward and min(last.y1, glyph.y1) - max(last.y0, glyph.y0) >= 0.4 * min(one, two)


def strokes_of(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Cut leaning text into runs: characters that follow each other in the stream and stand close by."""
    runs: list[list[Glyph]] = []
    last: Glyph | None = None
    for glyph in glyphs:
        em = max(glyph.x1 - glyph.x0, glyph.height, 0.1)
        near = last is not None and abs(glyph.x0 - last.x0) <= 2 * em and abs(glyph.middle - last.middle) <= 2 * em
        if near and last is not None and glyph.at - last.at <= _NEXT:
            runs[-1].append(glyph)
        else:
            runs.append([glyph])
        last = glyph
    return runs


def spelled(run: Sequence[Glyph]) -> tuple[str, list[int]]:
    """Text of a run in the order given, and where each glyph starts in it; spaces are pdfium's."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for glyph in run:
        if length and glyph.spaced:
            parts.append(" ")
            length += 1
        starts.append(length)
        parts.append(glyph.text)
        length += len(glyph.text)
    return "".join(parts), starts


def as_piece(run: Sequence[Glyph], at: int) -> Piece:
    """A run as one piece of a line."""
    text, _ = spelled(run)
    return Piece(
        min(g.x0 for g in run),
        min(g.y0 for g in run),
        max(g.x1 for g in run),
        max(g.y1 for g in run),
        text,
        at,
    )
