"""Characters of a PDF page with their boxes, as the reader sees the page: upright, from its top left, in points."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from pipeline.intake.flow import flowing
from pipeline.intake.lines import HYPHEN_MARK
from pipeline.intake.rows import Piece

_LINE = re.compile(r"\S(?:[^\r\n]*\S)?")
Rect = tuple[float, float, float, float]  # x0, y0, x1, y1; y grows downward
_SAMPLE = 24  # characters that tell which way a page's text stands
_LAST_SPACE = 32
_LIGATED = frozenset("fijlst")
_PLAIN_MARKS = frozenset(".,;:!?%-")
_NEXT = 8  # characters, with the spaces and line ends that pdfium puts between two
_LEAN = 0.2  # radians
_HYPHEN = 2  # pdfium's code for a hyphen that breaks a word at a line's end
_LINE_ENDS = frozenset({0, 10, 13})  # where pdfium ends its lines is what is looked at anew here
_WORD_GAP = 0.9  # em: a wider gap ends a piece of a line
_TWICE = 0.55  # share of the smaller box that two equal characters cover when one is printed over the other


@dataclass(frozen=True)
class Frame:
    """A page's box in user space and its rotation; turns user space into what is seen."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int  # degrees clockwise: 0, 90, 180, 270

    @property
    def width(self) -> float:
        return self.top - self.bottom if self.rotation in (90, 270) else self.right - self.left

    @property
    def height(self) -> float:
        return self.right - self.left if self.rotation in (90, 270) else self.top - self.bottom

    def seen(self, left: float, bottom: float, right: float, top: float) -> Rect:
        """A box of user space in points from the top left of the page as it is shown."""
        x0, x1 = left - self.left, right - self.left
        y0, y1 = bottom - self.bottom, top - self.bottom
        across, down = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            return y0, x0, y1, x1
        if self.rotation == 180:
            return across - x1, y0, across - x0, y1
        if self.rotation == 270:
            return down - y1, across - x1, down - y0, across - x0
        return x0, down - y1, x1, down - y0


def frame_of(page: Any, textpage: Any) -> Frame:
    """The box that is shown (crop box within media box), turned so that most of its text stands upright.

    That is the page's own rotation, except where a landscape table lies on an upright page.
    """
    box = pdfium.FS_RECTF()
    rotation = _rotation(textpage)
    if rotation is None:
        rotation = page.get_rotation()
    if not pdfium.FPDF_GetPageBoundingBox(page.raw, ctypes.byref(box)):
        width, height = page.get_size()
        return Frame(0.0, 0.0, width, height, rotation)
    return Frame(
        min(box.left, box.right),
        min(box.bottom, box.top),
        max(box.left, box.right),
        max(box.bottom, box.top),
        rotation,
    )


def _rotation(textpage: Any) -> int | None:
    """Degrees clockwise that set most of the text upright, by a sample; None for a page without text."""
    count = textpage.count_chars()
    raw = textpage.raw
    found: Counter[int] = Counter()
    for index in range(0, count, max(1, count // _SAMPLE)):
        if pdfium.FPDFText_GetUnicode(raw, index) > _LAST_SPACE:
            found[_quarters(pdfium.FPDFText_GetCharAngle(raw, index))] += 1
    return (360 - 90 * found.most_common(1)[0][0]) % 360 if found else None


def _quarters(angle: float) -> int:
    """An angle in radians as the nearest number of quarter turns, 0 to 3."""
    return round(angle / (math.pi / 2)) % 4 if angle >= 0 else 0


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


def glyphs_of(textpage: Any, frame: Frame) -> list[Glyph]:
    """Every printed character in the order of the page's stream; a space is a flag of the next one."""
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
        if code in (9, 32, 0xA0):
            spaced = True
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
    em = max(min(last.y1 - last.y0, glyph.y1 - glyph.y0), 0.1)
    # Two letters out of one ligature have one box: a step back is one behind where the last one began.
    onward = glyph.x0 - last.x1 <= _WORD_GAP * em and glyph.x0 >= last.x0 - 0.3 * em
    return onward and min(last.y1, glyph.y1) - max(last.y0, glyph.y0) >= 0.4 * em


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


def lines_flowing(textpage: Any, text: str, frame: Frame) -> frozenset[int] | None:
    """Starts of lines of ``text`` that go on where the line before was full, by the places of each line's ends.

    ``text`` is pdfium's own for the page; None when its offsets and pdfium's may differ.
    """
    if text and max(text) > "\uffff":
        return None
    raw, box = textpage.raw, pdfium.FS_RECTF()
    target = ctypes.byref(box)
    lines: list[tuple[Piece, Piece]] = []
    for found in _LINE.finditer(text):
        ends = []
        for at in (found.start(), found.end() - 1):
            index = pdfium.FPDFText_GetCharIndexFromTextIndex(raw, at)
            if index < 0 or not pdfium.FPDFText_GetLooseCharBox(raw, index, target):
                return None
            ends.append(frame.seen(box.left, box.bottom, box.right, box.top))
        lines.append(_begin_and_end(ends[0], ends[1], found.group(), found.start()))
    told = zip(lines, flowing(lines), strict=True)
    return frozenset(begin.at for (begin, _), goes_on in told if goes_on)


def _begin_and_end(first: Rect, last: Rect, text: str, at: int) -> tuple[Piece, Piece]:
    """A line by its first and last character; where pdfium undid a hyphen, the last stands a line lower."""
    begin = Piece(first[0], first[1], last[2], first[3], text, at)
    lower = (last[1] + last[3]) / 2 > first[3]
    return begin, Piece(first[0], last[1], last[2], last[3], text, at) if lower else begin
