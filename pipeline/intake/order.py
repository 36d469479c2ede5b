"""In which order a reader takes the pieces of a page, from where they stand (pitfall P7).

Columns are taken for columns only when their lines are full, as running text is: two columns of short cells are a
table or a form, and are read row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from pipeline.intake.flow import Fit, continues
from pipeline.intake.rows import Piece, Row, rows_of

_LEAST_LINES = 4  # on each side of a gutter
_FULL = 0.7  # of a column's width: the median line of running text
_WHOLE = 0.25  # share of lines from edge to edge, where many are short
_EDGE = 1.5  # line heights: how far from the edge a whole line may end
_OUTER = 0.15  # share of lines that do not say where a column's edges are
_LEAST_WIDTH = 10.0  # line heights: a column of text is wider, a column of a table may not be
_CROSSING = 0.35  # share of the lines that may run across a gutter: titles, figures
_MAX_DEPTH = 6


def reading_order(pieces: Sequence[Piece], *, exact: bool) -> list[Row]:
    """Return the rows of a page as they are read. ``exact``: heights are of fonts, not of what was seen of them."""
    rows: list[Row] = []
    before: Row | None = None
    for region in _regions(list(pieces), _MAX_DEPTH):
        its = rows_of(region)
        fit = Fit(its, exact=exact)
        for index, row in enumerate(its):
            goes_on = before is not None and continues(before, row, fit, index)
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
