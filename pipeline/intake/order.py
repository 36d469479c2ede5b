"""In which order a reader takes the pieces of a page, from where they stand (pitfall P7).

Columns are taken for columns only when their lines are full, as running text is: two columns of short cells are a
table or a form, and are read row by row. All coordinates grow to the right and down; the unit is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pipeline.intake.structure import heading_level

_LEAST_WHOLE = 3  # lines that show where a region's edges are
_LEAST_LINES = 4  # on each side of a gutter
_FULL = 0.7  # of a column's width: the median line of running text
_WHOLE = 0.25  # share of lines from edge to edge, where many are short
_EDGE = 1.5  # line heights: how far from the edge a whole line may end
_OUTER = 0.15  # share of lines that do not say where a column's edges are
_LEAST_WIDTH = 10.0  # line heights: a column of text is wider, a column of a table may not be
_CROSSING = 0.35  # share of the lines that may run across a gutter: titles, figures
_HAN_SIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_STOP = re.compile("[。！？!?；;：:…．.][”’\"'」』）)]*$")
LIST_START = re.compile(
    "(?:[-*•·●○■◆▪–]\\s*\\S|[（(]?[0-9一二三四五六七八九十]{1,3}[)）、．]|[0-9]{1,2}\\.\\s|第[0-9一二三四五六七八九十百]{1,4}[条章节款编])"
)
_WORD = re.compile(
    "[^\\s\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]+[\uff00-\uffef\u3000-\u303f]*"
)  # with a stop after it
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_MAX_DEPTH = 6


@dataclass(frozen=True)
class Piece:
    """Some text in one line with its box. ``at`` is the caller's own number for it."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    at: int = 0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True)
class Row:
    """Pieces side by side, from the left. ``goes_on``: it continues the paragraph of the row before it."""

    pieces: tuple[Piece, ...]
    goes_on: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        return (
            min(p.x0 for p in self.pieces),
            min(p.y0 for p in self.pieces),
            max(p.x1 for p in self.pieces),
            max(p.y1 for p in self.pieces),
        )

    @property
    def text(self) -> str:
        return " ".join(p.text for p in self.pieces)


def reading_order(pieces: Sequence[Piece]) -> list[Row]:
    """Return the rows of a page as they are read."""
    rows: list[Row] = []
    before: Row | None = None
    for region in _regions(list(pieces), _MAX_DEPTH):
        its = rows_of(region)
        left, right, gap = _measures(its)
        for index, row in enumerate(its):
            # At the top of a region the line before stands elsewhere: how far above says nothing.
            goes_on = before is not None and _continues(before, row, left, right, gap if index else None)
            before = Row(row.pieces, goes_on)
            rows.append(before)
    return rows


def columns_of(pieces: Sequence[Piece]) -> float | None:
    """Return where the page's main gutter is when it is set in columns of running text."""
    return _gutter(pieces, _em(pieces)) if len(pieces) >= 2 * _LEAST_LINES else None


def _em(pieces: Sequence[Piece]) -> float:
    return median(p.height for p in pieces) if pieces else 0.0


def _regions(pieces: list[Piece], depth: int) -> Iterator[list[Piece]]:
    """Cut a page into parts that are each read row by row."""
    gutter = _gutter(pieces, _em(pieces)) if depth and len(pieces) >= 2 * _LEAST_LINES else None
    if gutter is None:
        if pieces:
            yield pieces
        return
    band: list[Piece] = []
    across: list[Piece] = []
    # What runs across the gutter ends a band: everything beside it and above is read before it.
    for piece in sorted(pieces, key=lambda p: p.middle):
        if piece.x0 < gutter < piece.x1:
            if band:
                yield from _sides(band, gutter, depth)
                band = []
            across.append(piece)
        else:
            if across:
                yield across
                across = []
            band.append(piece)
    if across:
        yield across
    if band:
        yield from _sides(band, gutter, depth)


def _sides(band: list[Piece], gutter: float, depth: int) -> Iterator[list[Piece]]:
    yield from _regions([p for p in band if p.x1 <= gutter], depth - 1)
    yield from _regions([p for p in band if p.x1 > gutter], depth - 1)


def _gutter(pieces: Sequence[Piece], em: float) -> float | None:
    """The x that fewest pieces run across, if what stands on both sides of it is columns of text."""
    low, high = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    if em <= 0 or high - low < 2 * _LEAST_WIDTH * em:
        return None
    best: tuple[float, float] | None = None
    # The middle of a gap between a right and the next left edge is the only place a gutter can be.
    for x in _gaps(pieces, em):
        if not low + 0.15 * (high - low) <= x <= high - 0.15 * (high - low):
            continue
        crossing = sum(p.x1 - p.x0 for p in pieces if p.x0 < x < p.x1)
        key = (crossing, abs(x - (low + high) / 2))
        if (best is None or key < best) and _are_columns(pieces, x, em):
            best = key
            found = x
    return found if best is not None else None


def _gaps(pieces: Sequence[Piece], em: float) -> list[float]:
    """Middles of the spaces that lines leave between their pieces, and that columns leave between their edges."""
    rights = sorted({round(p.x1 / em * 4) * em / 4 for p in pieces})
    lefts = sorted({round(p.x0 / em * 4) * em / 4 for p in pieces})
    middles = set()
    for left in lefts:
        ends = [right for right in rights if right < left]
        if ends:
            middles.add((ends[-1] + left) / 2)
    return sorted(middles)


def _are_columns(pieces: Sequence[Piece], x: float, em: float) -> bool:
    left = [p for p in pieces if p.x1 <= x]
    right = [p for p in pieces if p.x0 >= x]
    crossing = len(pieces) - len(left) - len(right)
    if crossing > _CROSSING * len(pieces):
        return False
    return _is_column(left, em) and _is_column(right, em) and _beside(left, right)


def _is_column(side: list[Piece], em: float) -> bool:
    """Running text: most lines are nearly full, or a good part of them reaches from edge to edge."""
    rows = rows_of(side)
    if len(rows) < _LEAST_LINES:
        return False
    boxes = [row.box for row in rows]
    # Without the outermost ones: a number in the margin, a line that sticks out.
    out = int(_OUTER * len(rows))
    width = sorted((b[2] for b in boxes), reverse=True)[out] - sorted(b[0] for b in boxes)[out]
    # A row's own pieces must fill it: gaps inside are what cells leave.
    fills = [sum(p.x1 - p.x0 for p in row.pieces) for row in rows]
    whole = sum(fill >= width - _EDGE * em for fill in fills)
    return width >= _LEAST_WIDTH * em and (median(fills) >= _FULL * width or whole >= _WHOLE * len(rows))


def _beside(left: list[Piece], right: list[Piece]) -> bool:
    """Whether the two stand side by side over most of the shorter one's height."""
    low = max(min(p.y0 for p in left), min(p.y0 for p in right))
    high = min(max(p.y1 for p in left), max(p.y1 for p in right))
    shorter = min(max(p.y1 for p in side) - min(p.y0 for p in side) for side in (left, right))
    return high - low >= 0.5 * shorter


def rows_of(pieces: Sequence[Piece]) -> list[Row]:
    """Group pieces that stand at the same height; rows from the top, pieces from the left."""
    groups: list[list[Piece]] = []
    top = bottom = 0.0
    for piece in sorted(pieces, key=lambda p: (p.middle, p.x0)):
        shared = min(bottom, piece.y1) - max(top, piece.y0)
        if groups and shared >= 0.5 * min(bottom - top, piece.height) and piece.height > 0:
            groups[-1].append(piece)
            top, bottom = (top + piece.y0) / 2, (bottom + piece.y1) / 2
        else:
            groups.append([piece])
            top, bottom = piece.y0, piece.y1
    return [Row(tuple(sorted(group, key=lambda p: p.x0))) for group in groups]


def _measures(rows: list[Row]) -> tuple[float, float, float]:
    """Left edge, right edge and usual gap of a region's running text: rows of one piece that are no stubs."""
    boxes = [row.box for row in rows]
    if not boxes:
        return 0.0, 0.0, 0.0
    half = (max(b[2] for b in boxes) - min(b[0] for b in boxes)) / 2
    whole = [row.box for row in rows if len(row.pieces) == 1 and row.box[2] - row.box[0] >= half]
    text = whole if len(whole) >= _LEAST_WHOLE else boxes
    rights = sorted(b[2] for b in text)
    gaps = [low[1] - high[3] for high, low in pairwise(boxes)]
    return min(b[0] for b in text), rights[int(0.9 * (len(rights) - 1))], median(gaps) if gaps else 0.0


def _continues(before: Row, row: Row, left: float, right: float, gap: float | None) -> bool:
    """Whether ``row`` goes on where ``before`` was full; ``gap`` None: they do not stand under each other."""
    if len(before.pieces) > 1 or len(row.pieces) > 1:
        return False
    here, there = before.pieces[0], row.pieces[0]
    em = min(here.height, there.height)
    if em <= 0 or max(here.height, there.height) > 1.6 * em or not _may_join(here.text, there.text):
        return False
    if gap is None:
        return not _STOP.search(here.text) and there.x0 - left <= em and here.x1 - here.x0 >= 0.9 * (right - left)
    if there.y0 - here.y1 > max(gap + 0.35 * em, 0.25 * em):
        return False
    if there.x0 - left > 1.2 * em and there.x0 - here.x0 > 0.5 * em:  # an indent begins a paragraph
        return False
    return right - here.x1 <= _room(here.text, there, em)


def _may_join(here: str, there: str) -> bool:
    return not (LIST_START.match(there) or heading_level(here) or heading_level(there))


def _room(here: str, there: Piece, em: float) -> float:
    """How much of a full line may stay empty: what the next word, or two Han characters, would have needed."""
    word = _WORD.match(there.text)
    size = len(word.group()) if word else 0
    units = len(there.text) + len(_WIDE.findall(there.text))  # Han are two wide
    needed = (size + 1.5) * (there.x1 - there.x0) / max(1, units)
    stopped = bool(_STOP.search(here))
    if _HAN_SIDE.match(here[-1:]) or _HAN_SIDE.match(there.text[:1]):
        least = (0.8 if stopped else 2.2) * em
        return max(least, needed) if size > 1 else least
    return 0.8 * needed if stopped else needed
