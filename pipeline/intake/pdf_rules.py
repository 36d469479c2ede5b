"""Ruling lines of a PDF page → lattices: grids of cells, merged where a line is missing."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from pipeline.intake.pdf_glyphs import Frame, Rect
from pipeline.intake.pdf_signs import Marks

_MAX_RULES = 1_500
_MAX_SEGMENTS = 2_000
_SNAP = 2.5  # points: rules nearer than this are one
_REACH = 3.5  # points by which rules may miss each other where they meet
_MAX_SLOTS = 6_000
_LEAST = 6.0  # points: shorter rules are strokes of something else


@dataclass(frozen=True)
class _Rule:
    """``at``: where it stands across its direction; ``low`` to ``high``: along it."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Lattice:
    """Grid lines from the left and from the top, and which slots of the grid are one cell.

    ``cell[row][column]`` names the cell of a slot: slots with the same name are merged.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cell: tuple[tuple[int, ...], ...]

    @property
    def box(self) -> Rect:
        return self.xs[0], self.ys[0], self.xs[-1], self.ys[-1]

    def cell_at(self, x: float, y: float) -> int | None:
        """Name of the cell at a point of the page; None beside the grid."""
        row, column = bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1
        if not (0 <= row < len(self.cell) and 0 <= column < len(self.cell[0])):
            return None
        return self.cell[row][column]


def lattices_of(marks: Marks, frame: Frame) -> list[Lattice]:
    """Return the grids of a page, from the top; of at least two rows and two columns."""
    across, down = _rules(marks, frame)
    if len(across) < 3 or len(down) < 2 or len(across) + len(down) > _MAX_RULES:
        return []
    grids = [_lattice(rows, columns) for rows, columns in _connected(across, down)]
    return sorted((grid for grid in grids if grid), key=lambda grid: (grid.box[1], grid.box[0]))


def _rules(marks: Marks, frame: Frame) -> tuple[list[_Rule], list[_Rule]]:
    """Horizontal and vertical rules, those on one line joined."""
    across: list[_Rule] = []
    down: list[_Rule] = []
    for x0, y0, x1, y1 in (*marks.rules, *_segments(marks.paths, frame)):
        if x1 - x0 >= y1 - y0:
            across.append(_Rule((y0 + y1) / 2, x0, x1))
        else:
            down.append(_Rule((x0 + x1) / 2, y0, y1))
        if len(across) + len(down) > 4 * _MAX_RULES:
            return [], []
    return _united(across), _united(down)


def _segments(paths: Sequence[Any], frame: Frame) -> Iterator[Rect]:
    """Straight, upright strokes of paths that are not one rule each: drawn boxes and whole grids."""
    left = _MAX_SEGMENTS
    for path in paths:
        count = pdfium.FPDFPath_CountSegments(path)
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        drawn = pdfium.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke)) and stroke.value
        if not drawn or not 2 <= count <= left:
            continue
        left -= count
        yield from _strokes(path, count, frame)


def _strokes(path: Any, count: int, frame: Frame) -> Iterator[Rect]:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix)):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    start: tuple[float, float] | None = None
    last: tuple[float, float] | None = None
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        if not pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
            return
        here = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == pdfium.FPDF_SEGMENT_LINETO and last is not None:
            yield from _upright(last, here, frame)
        if pdfium.FPDFPathSegment_GetClose(segment) and start is not None:
            yield from _upright(here, start, frame)
        last = here


def _upright(one: tuple[float, float], two: tuple[float, float], frame: Frame) -> Iterator[Rect]:
    if abs(one[0] - two[0]) <= 1 or abs(one[1] - two[1]) <= 1:
        yield frame.seen(min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1]))


def _united(rules: list[_Rule]) -> list[_Rule]:
    """Join rules that lie on one line and touch, and drop what stays short: dashes become one rule first."""
    united: list[_Rule] = []
    for rule in sorted(rules, key=lambda r: (round(r.at / _SNAP), r.low)):
        last = united[-1] if united else None
        if last and abs(last.at - rule.at) <= _SNAP and rule.low <= last.high + _REACH:
            united[-1] = _Rule(last.at, last.low, max(last.high, rule.high))
        else:
            united.append(rule)
    return [rule for rule in united if rule.high - rule.low >= _LEAST]


def _meet(row: _Rule, column: _Rule) -> bool:
    return row.low - _REACH <= column.at <= row.high + _REACH and column.low - _REACH <= row.at <= column.high + _REACH


def _connected(across: list[_Rule], down: list[_Rule]) -> Iterator[tuple[list[_Rule], list[_Rule]]]:
    """Groups of rules that hang together by crossing or touching."""
    rows_left, columns_left = list(range(len(across))), list(range(len(down)))
    while columns_left:
        queue = [("column", columns_left.pop(0))]
        rows: list[int] = []
        columns = [queue[0][1]]
        while queue:
            kind, index = queue.pop()
            if kind == "column":
                found = [r for r in rows_left if _meet(across[r], down[index])]
                rows_left = [r for r in rows_left if r not in found]
                rows += found
                queue += [("row", r) for r in found]
            else:
                found = [c for c in columns_left if _meet(across[index], down[c])]
                columns_left = [c for c in columns_left if c not in found]
                columns += found
                queue += [("column", c) for c in found]
        yield [across[r] for r in rows], [down[c] for c in columns]


def _lattice(rows: list[_Rule], columns: list[_Rule]) -> Lattice | None:
    ys, xs = _snapped(rows), _snapped(columns)
    down, across = len(ys) - 1, len(xs) - 1
    if down < 2 or across < 2 or down * across > _MAX_SLOTS:
        return None
    cells = _Cells(down * across)
    for column in range(1, across):
        walls = [rule for rule in columns if abs(rule.at - xs[column]) <= _SNAP]
        for row in range(down):
            if not _ruled(walls, (ys[row] + ys[row + 1]) / 2):
                cells.merge(row * across + column - 1, row * across + column)
    for row in range(1, down):
        floors = [rule for rule in rows if abs(rule.at - ys[row]) <= _SNAP]
        for column in range(across):
            if not _ruled(floors, (xs[column] + xs[column + 1]) / 2):
                cells.merge((row - 1) * across + column, row * across + column)
    names = tuple(tuple(cells.name(row * across + column) for column in range(across)) for row in range(down))
    return Lattice(tuple(xs), tuple(ys), names)


class _Cells:
    """Slots that are merged share a name: the first of them."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def name(self, slot: int) -> int:
        while self._parent[slot] != slot:
            self._parent[slot] = self._parent[self._parent[slot]]
            slot = self._parent[slot]
        return slot

    def merge(self, one: int, two: int) -> None:
        low, high = sorted((self.name(one), self.name(two)))
        self._parent[high] = low


def _snapped(rules: list[_Rule]) -> list[float]:
    places: list[float] = []
    for at in sorted(rule.at for rule in rules):
        if not places or at - places[-1] > _SNAP:
            places.append(at)
    return places


def _ruled(rules: list[_Rule], where: float) -> bool:
    return any(rule.low <= where <= rule.high for rule in rules)
