"""A table → lines in which every cell stands with the names of its row and column (rule CHK-1).

``站名：北站；水位：3.2米``: one line per body row. Headers of several levels are joined (``一季度·均值``), a row that
spans the table names the rows below it, and a table of keys and values gives pairs. Where nothing says which cells are
names, the cells stand alone: a guessed header would make the table say what it does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

CELLS = ("td", "th", "cell")
_MAX_COLUMNS, _MAX_SPAN = 100, 1_000
_MAX_NAME = 12  # characters of an unmarked header cell
_MAX_SECTION = 40
_LAYOUT_CELL = 400  # a longer cell in a table without headers holds a part of the page
_DIGIT = re.compile(r"\d")
_BOLD = ("b", "strong")

CellText = Callable[[Any], str]


@dataclass(eq=False)
class _Cell:
    text: str
    head: bool


_Row = list[_Cell]


def is_data(table: Any) -> bool:
    """Whether a table holds data; one that only lays out a page is read as text."""
    if table.find(".//table") is not None or table.get("role") in ("presentation", "none"):
        return False
    rows = [[cell for cell in row if cell.tag in CELLS] for row in table.iter("tr", "row")]
    if max(map(len, rows), default=0) < 2:
        return False
    if table.find(".//th") is not None or table.find("caption") is not None:
        return True
    return len(rows) > 1 and all(len("".join(cell.itertext())) <= _LAYOUT_CELL for row in rows for cell in row)


def table_text(table: Any, cell_text: CellText) -> list[str]:
    """Return the lines of a data table."""
    heads, grid = _laid_out(table, cell_text)
    return _lines(heads, grid)


def _laid_out(table: Any, cell_text: CellText) -> tuple[int, list[_Row]]:
    """Return how many rows stand in ``<thead>``, and all rows with spanned cells repeated; the foot comes last."""
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for row in table.iter("tr", "row"):
        part = row.getparent().tag
        parts[{"thead": 0, "tfoot": 2}.get(part, 1)].append(row)
    grid: list[_Row] = []
    heads = 0
    open_cells: dict[int, tuple[int, _Cell]] = {}  # column → rows still covered from above
    for row in (*parts[0], *parts[1], *parts[2]):
        line: _Row = []
        for element in row:
            if element.tag in CELLS:
                _covered(line, open_cells)
                cell = _Cell(cell_text(element), _is_head(element))
                down = _span(element, "rowspan")
                for _ in range(min(_span(element, "colspan"), _MAX_COLUMNS - len(line))):
                    if down > 1:
                        open_cells[len(line)] = (down - 1, cell)
                    line.append(cell)
        _covered(line, open_cells)
        if any(cell.text for cell in line):
            grid.append(line)
            heads += row.getparent().tag == "thead"
    return heads, grid


def _covered(line: _Row, open_cells: dict[int, tuple[int, _Cell]]) -> None:
    """Append the cells that reach down from above at this place."""
    while (above := open_cells.pop(len(line), None)) is not None:
        left, cell = above
        if left > 1:
            open_cells[len(line)] = (left - 1, cell)
        line.append(cell)


def _span(cell: Any, name: str) -> int:
    value = cell.get(name, "1").strip()
    if value == "0" and name == "rowspan":
        return _MAX_SPAN
    return max(1, min(int(value[:6]), _MAX_SPAN)) if value.isdecimal() and value.isascii() else 1


def _is_head(cell: Any) -> bool:
    if cell.tag == "th" or cell.get("role") in ("head", "columnheader", "rowheader"):
        return True
    beside = f"{cell.text or ''}{cell[0].tail or ''}" if len(cell) == 1 else "x"
    return not beside.strip() and cell[0].tag in _BOLD


def _lines(in_head: int, grid: list[_Row]) -> list[str]:
    width = max(map(len, grid), default=0)
    marked = any(cell.head for row in grid for cell in row)
    unmarked = not marked and not in_head
    if unmarked and grid and _names_columns(grid, width):
        in_head = 1
    pairs = unmarked and not in_head and width == 2 and _names_rows(grid)
    lines: list[str] = []
    names: list[str] = []
    section = ""
    fresh = False  # the row before was a header too
    for index, row in enumerate(grid):
        cells = _distinct(row)
        if index < in_head or _is_header(cells, row):
            names = _joined(names if fresh else [], row)
            section, fresh = ("" if not fresh else section), True
            continue
        if len(cells) == 1 and len(row) == width > 1 and len(cells[0].text) <= _MAX_SECTION:
            section = cells[0].text
            if index == 0 or index + 1 == len(grid):
                lines.append(section)
                section = ""
            continue
        fresh = False
        parts = [_pair(cells[0].text, cells[1].text)] if pairs and len(cells) == 2 else _row(row, names)
        lines.append("；".join(([section] if section else []) + parts))
    return lines or ["；".join(cell.text for cell in _distinct(row)) for row in grid]


def _distinct(row: _Row) -> _Row:
    """The cells that say something, a spanned one once."""
    return [cell for cell, _ in groupby(row) if cell.text]


def _is_header(cells: _Row, row: _Row) -> bool:
    return len(cells) >= 2 and all(cell.head for cell in cells) and len(row) >= 2


def _names_columns(grid: list[_Row], width: int) -> bool:
    """A first row of short words without digits names the columns when the rows below hold figures.

    Without figures, two or four columns may as well be keys and values; then nothing is claimed.
    """
    first = [cell.text for cell in grid[0]]
    short = len(first) >= 2 and all(0 < len(t) <= _MAX_NAME and not _DIGIT.search(t) for t in first)
    figures = any(_DIGIT.search(cell.text) for row in grid[1:] for cell in row[1:])
    return short and len(grid) > 1 and (figures or width not in (2, 4))


def _names_rows(grid: list[_Row]) -> bool:
    return all(row[0].text and len(row[0].text) <= _MAX_NAME and not _DIGIT.search(row[0].text) for row in grid)


def _joined(above: list[str], row: _Row) -> list[str]:
    """Column names with one more level."""
    width = max(len(above), len(row))
    names: list[str] = []
    for column in range(width):
        upper = above[column] if column < len(above) else ""
        lower = row[column].text if column < len(row) else ""
        repeated = lower == upper or upper.endswith("·" + lower)
        names.append("·".join(part for part in (upper, "" if repeated else lower) if part))
    return names


def _row(row: _Row, names: list[str]) -> list[str]:
    if not names:
        cells = _distinct(row)
        return _paired(cells) if any(cell.head for cell in cells) else [cell.text for cell in cells]
    parts: list[str] = []
    for column, cell in enumerate(row):
        name = names[column] if column < len(names) else ""
        again = column > 0 and cell is row[column - 1] and (names[column - 1] if column <= len(names) else "") == name
        if cell.text and not again:
            parts.append(f"{name}：{cell.text}" if name and name != cell.text else cell.text)
    return parts


def _paired(cells: _Row) -> list[str]:
    """``key：value`` for each marked key and what follows it up to the next one; other cells as they are."""
    parts: list[str] = []
    index = 0
    while index < len(cells):
        key, index = cells[index], index + 1
        values: list[str] = []
        while key.head and index < len(cells) and not cells[index].head:
            values.append(cells[index].text)
            index += 1
        parts.append(_pair(key.text, "；".join(values)) if values else key.text)
    return parts


def _pair(key: str, value: str) -> str:
    return f"{key.rstrip('：:')}：{value}"
