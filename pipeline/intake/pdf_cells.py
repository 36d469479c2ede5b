"""Words in a grid of rules → its cells, and the rows that stand in a cell without a rule between them (pitfall P8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.intake.pdf_rules import Lattice
from pipeline.intake.rows import Piece, Row, rows_of

_HAN_SIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_FILLED = 1.6  # em: what a full line of a cell leaves free at most
_WIDE = 0.75  # of its cell: a narrower line was not wrapped, wherever it ends
_MANY = 3  # lines in a cell that are rows of their own as likely as one wrapped value
_MOSTLY = 0.8
_LEVEL = 0.5  # em by which lines of one row may stand apart


@dataclass(frozen=True)
class Cell:
    """``name``: slots with the same name are one cell."""

    name: int
    text: str


@dataclass(frozen=True)
class Grid:
    """``rows``: a cell per slot. ``uneven``: some rows are not told apart. ``lines``: the same, to be read as they are.

    ``used``: ``at`` of the pieces that stand in it.
    """

    rows: tuple[tuple[Cell, ...], ...]
    uneven: bool
    lines: tuple[str, ...]
    used: frozenset[int]


def grid_of(lattice: Lattice, pieces: Sequence[Piece]) -> Grid | None:
    """Put each piece into the cell it stands in; None when there are hardly any."""
    inside: dict[int, list[Piece]] = {}
    for piece in pieces:
        cell = lattice.cell_at((piece.x0 + piece.x1) / 2, piece.middle)
        if cell is not None:
            inside.setdefault(cell, []).append(piece)
    if len(inside) < 2:
        return None
    reading = _Reading(lattice, {cell: rows_of(its) for cell, its in inside.items()})
    for row in range(len(lattice.cell)):
        reading.row(row)
    used = frozenset(piece.at for its in inside.values() for piece in its)
    return Grid(tuple(reading.rows), reading.uneven, tuple(reading.lines), used)


class _Reading:
    """Goes through a grid's rows and keeps what they are."""

    def __init__(self, lattice: Lattice, inside: dict[int, list[Row]]) -> None:
        self._lattice, self._inside = lattice, inside
        self._next = len(lattice.cell) * len(lattice.cell[0])  # names of cells that no rule made
        self._told: set[int] = set()
        self.rows: list[tuple[Cell, ...]] = []
        self.lines: list[str] = []
        self.uneven = False

    def row(self, number: int) -> None:
        names = self._lattice.cell[number]
        self._columns(names, number)
        own = [name for name in dict.fromkeys(names) if not self._reaches_beyond(name, number)]
        filled = [self._inside[name] for name in own if self._inside.get(name)]
        parts = _parallel(filled)
        wrapped = self._are_wrapped([name for name in own if len(self._inside.get(name, ())) > 1])
        if parts and not wrapped:
            self._split(names, set(own), parts)
        else:
            self.rows.append(tuple(Cell(name, _joined(self._inside.get(name, []))) for name in names))
            loose = sum(len(rows) >= _MANY for rows in filled) >= 2 and not wrapped and _are_level(filled)
            self.uneven |= loose
            self._read(names, filled if loose else None)
        self._told.update(names)

    def _columns(self, names: Sequence[int], number: int) -> None:
        """Cells of the same height that begin here and hold many lines each are columns of rows without rules."""
        ends: dict[int, list[int]] = {}
        for name in dict.fromkeys(names):
            if name not in self._told and self._reaches_beyond(name, number):
                last = max(row for row, cells in enumerate(self._lattice.cell) if name in cells)
                ends.setdefault(last, []).append(name)
        for group in ends.values():
            filled = [name for name in group if len(self._inside.get(name, ())) > 1]
            if len(filled) < 2 or self._are_wrapped(filled) or not _are_level([self._inside[n] for n in filled]):
                continue
            self.uneven = True
            self._read(group, [self._inside[name] for name in group if name in self._inside])
            self._told.update(group)

    def _reaches_beyond(self, name: int, number: int) -> bool:
        return any(name in cells for row, cells in enumerate(self._lattice.cell) if row != number)

    def _split(self, names: Sequence[int], own: set[int], parts: int) -> None:
        """Cells whose lines stand side by side are as many rows."""
        for part in range(parts):
            fresh = {name: self._next + at for at, name in enumerate(dict.fromkeys(names)) if name in own}
            self._next += len(fresh) + 1
            cells = []
            for name in names:
                rows = self._inside.get(name, [])
                text = (rows[part].text.strip() if rows else "") if name in own else _joined(rows)
                cells.append(Cell(fresh.get(name, name), text))
            self.rows.append(tuple(cells))
            its = {cell.name: cell.text for cell in cells if cell.name in fresh.values() or not part}
            self.lines.append(" ".join(text for text in its.values() if text))

    def _read(self, names: Sequence[int], loose: list[list[Row]] | None) -> None:
        """Lines of a row: of its cells one after the other, side by side where each is one line, or as printed."""
        if loose is not None:
            pieces = [piece for rows in loose for row in rows for piece in row.pieces]
            self.lines += [row.text for row in rows_of(pieces)]
            return
        fresh = [name for name in dict.fromkeys(names) if name not in self._told]
        cells = [self._cell_lines(name) for name in fresh if self._inside.get(name)]
        if cells and all(len(cell) == 1 for cell in cells):
            cells = [[" ".join(cell[0] for cell in cells)]]
        self.lines += [line for cell in cells for line in cell]

    def _cell_lines(self, name: int) -> list[str]:
        """Lines of a cell; one that fills it goes on in the next."""
        lines: list[str] = []
        text = ""
        for row in self._inside[name]:
            text = _glued(text, row.text.strip())
            if not self._is_full(name, row):
                lines.append(text)
                text = ""
        return [*lines, text] if text else lines

    def _is_full(self, name: int, row: Row) -> bool:
        """Whether a line leaves no room in its cell: it may be the first of a wrapped value."""
        xs, cells = self._lattice.xs, self._lattice.cell
        columns = [at for its in cells for at, cell in enumerate(its) if cell == name]
        left, right = xs[min(columns)], xs[max(columns) + 1]
        wide = row.box[2] - row.box[0] >= _WIDE * (right - left)
        return wide and right - row.box[2] <= _FILLED * min(piece.height for piece in row.pieces)

    def _are_wrapped(self, names: Sequence[int]) -> bool:
        """Whether the lines of most of these cells look like wrapped values."""
        full = sum(self._is_full(name, self._inside[name][0]) for name in names)
        return 2 * full > len(names)


def _parallel(cells: list[list[Row]]) -> int:
    """How many rows stand in cells that all have as many lines, side by side; 0 when they do not."""
    count = len(cells[0]) if cells else 0
    if len(cells) < 2 or count < 2 or any(len(rows) != count for rows in cells):
        return 0
    for part in range(count):
        middles = [sum(piece.middle for piece in rows[part].pieces) / len(rows[part].pieces) for rows in cells]
        if max(middles) - min(middles) > _LEVEL * min(piece.height for piece in cells[0][part].pieces):
            return 0
    return count


def _are_level(cells: list[list[Row]]) -> bool:
    """Whether the lines of the cells mostly stand beside lines of the cell with the most of them."""
    most = max(cells, key=len)
    places = [row.pieces[0].middle for row in most]
    reach = _LEVEL * min(piece.height for piece in most[0].pieces)
    others = [row for rows in cells if rows is not most for row in rows]
    level = sum(any(abs(row.pieces[0].middle - place) <= reach for place in places) for row in others)
    return level >= _MOSTLY * len(others)


def _joined(rows: list[Row]) -> str:
    text = ""
    for row in rows:
        text = _glued(text, row.text.strip())
    return text


def _glued(text: str, line: str) -> str:
    bare = not text or (_HAN_SIDE.match(text[-1]) and _HAN_SIDE.match(line[:1] or " "))
    return text + (line if bare else f" {line}")
