"""Cells of a PDF page → table rows that name their columns, where the layout is certain (pitfall P8, rule CHK-1).

Certain is: a grid of rules with a row of names at its head, or columns aligned without rules whose figures stand under
words. Everything else keeps its lines: a row with the wrong names would be worse than a row without any.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.intake.pdf_cells import Cell, grid_of
from pipeline.intake.pdf_glyphs import Rect
from pipeline.intake.pdf_rules import Lattice
from pipeline.intake.rows import Piece, Row
from pipeline.intake.structure import table_lines

_FIGURES = re.compile(r"[-+(¥$￥€£]*\d[\d,.\s%％/:：年月日)-]*")
_YEAR = re.compile("(?:19|20)\\d{2}\\s*(?:年[度末初]?)?|(?:1[0-2]|0?[1-9])\\s*月")  # a name of a column as often as not
_MAX_NAME = 40  # characters of a column's name
_LEAST_ALIGNED = 3  # columns and rows of a table without rules
_MAX_ALIGNED_CELL = 24  # characters, the median: longer ones are columns of text
_SAME_COLUMN = 3.0  # points

_Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """Lines as they are to be read. ``certain``: each row names its columns."""

    box: Rect
    lines: tuple[str, ...]
    certain: bool
    used: frozenset[int]  # ``at`` of the pieces that are in it
    header: Header | None = None


@dataclass(frozen=True)
class Header:
    """Names of columns, to go on with on the next page where the table does."""

    xs: tuple[float, ...]
    names: tuple[str, ...]
    ends: float  # where the table ended, as a share of the page's height


def ruled_table(lattice: Lattice, pieces: Sequence[Piece], height: float, before: Header | None) -> Table | None:
    """Read the words in a grid; None when there are hardly any."""
    grid = grid_of(lattice, pieces)
    if grid is None:
        return None
    named = _named(grid.rows, before if _goes_on(lattice, height, before) else None)
    if named is None or grid.uneven:
        return Table(lattice.box, grid.lines, False, grid.used)
    above, names, body = named
    lines = [*above, *_body_lines(names, body)]
    header = Header(lattice.xs, tuple(names), lattice.ys[-1] / height if height > 0 else 0.0)
    return Table(lattice.box, tuple(lines), True, grid.used, header)


def _goes_on(lattice: Lattice, height: float, before: Header | None) -> bool:
    """Whether the grid continues the one that ended the page before: same columns, at the top of the page."""
    return (
        before is not None
        and before.ends > 0.8
        and lattice.ys[0] < 0.2 * height
        and len(before.xs) == len(lattice.xs)
        and all(abs(a - b) <= _SAME_COLUMN for a, b in zip(before.xs, lattice.xs, strict=True))
    )


def _named(given: Sequence[_Row], before: Header | None) -> tuple[list[str], list[str], Sequence[_Row]] | None:
    """Return the lines above the names, the names, and the rows under them; None when there are no sure names."""
    rows = [row for row in given if any(cell.text for cell in row)]
    above: list[str] = []
    while rows and len({cell.name for cell in rows[0]}) == 1:  # one cell over all columns: a caption
        above.append(rows.pop(0)[0].text)
    if before is not None and not above and rows:
        again = [cell.text for cell in rows[0]] == list(before.names)
        return above, list(before.names), rows[1:] if again else rows
    if len(rows) < 2 or not _is_head(rows[0]):
        return None
    names, used = _head_names(rows)
    body = rows[used:]
    if not body or sum(len({cell.name for cell in row}) < len(row) for row in body) > 0.3 * len(body):
        return None  # a form: its rows are cut differently each
    return above, names, body


def _is_head(row: _Row) -> bool:
    texts = [cell.text for cell in row]
    empty = sum(not text for text in texts)
    if empty > 1 or (empty and texts[0]):  # only the corner may be without a name
        return False
    return all(len(text) <= _MAX_NAME and not _is_figure(text) for text in texts)


def _is_figure(text: str) -> bool:
    return bool(_FIGURES.fullmatch(text)) and not _YEAR.fullmatch(text)


def _head_names(rows: Sequence[_Row]) -> tuple[list[str], int]:
    """Names of the columns and how many rows they take: a name over several columns has its own under it."""
    first = rows[0]
    spread = len({cell.name for cell in first}) < len(first)
    if not spread or len(rows) < 3:
        return [cell.text for cell in first], 1
    names = []
    for over, under in zip(first, rows[1], strict=True):
        names.append(over.text if over.name == under.name or not under.text else f"{over.text}·{under.text}")
    return names, 2


def _body_lines(names: list[str], body: Sequence[_Row]) -> list[str]:
    lines: list[str] = []
    for row in body:
        if len({cell.name for cell in row}) == 1:
            lines.append(row[0].text)
            continue
        values, seen = [], set()
        for cell in row:
            values.append("" if cell.name in seen else cell.text)
            seen.add(cell.name)
        lines += table_lines([names, values], header=True)
    return [line for line in lines if line]


def aligned_tables(rows: Sequence[Row]) -> list[Table]:
    """Tables without rules among the rows of a region: equal columns, words above figures."""
    tables: list[Table] = []
    run: list[Row] = []
    for row in [*rows, None]:
        if row is not None and (not run or (len(row.pieces) == len(run[0].pieces) and _fits(run, row))):
            run.append(row)
            continue
        table = _aligned(run)
        if table is not None:
            tables.append(table)
        run = [row] if row is not None else []
    return tables


def _fits(run: list[Row], row: Row) -> bool:
    """Each piece of ``row`` stands in the column of the pieces above it and in no other; no wide gap above it."""
    last = run[-1]
    em = min(piece.height for piece in last.pieces)
    if row.box[1] - last.box[3] > 2 * em:
        return False
    for index, piece in enumerate(row.pieces):
        for other in run:
            if index and other.pieces[index - 1].x1 >= piece.x0:
                return False
            if index + 1 < len(other.pieces) and other.pieces[index + 1].x0 <= piece.x1:
                return False
    return True


def _aligned(run: list[Row]) -> Table | None:
    if len(run) < _LEAST_ALIGNED or len(run[0].pieces) < _LEAST_ALIGNED:
        return None
    texts = [[piece.text.strip() for piece in row.pieces] for row in run]
    sizes = sorted(len(text) for row in texts for text in row)
    figures = [all(_FIGURES.fullmatch(row[column]) for row in texts[1:]) for column in range(len(texts[0]))]
    head = not any(map(_is_figure, texts[0]))
    if sizes[len(sizes) // 2] > _MAX_ALIGNED_CELL or not head or sum(figures) < 1:
        return None
    boxes = [row.box for row in run]
    box = (min(b[0] for b in boxes), boxes[0][1], max(b[2] for b in boxes), boxes[-1][3])
    used = frozenset(piece.at for row in run for piece in row.pieces)
    return Table(box, tuple(table_lines(texts, header=True)), True, used)
