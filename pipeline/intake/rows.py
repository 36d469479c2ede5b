"""Pieces of text on a page, and the rows they stand in. Coordinates grow to the right and down; the unit is free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Piece(NamedTuple):
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


class Row(NamedTuple):
    """Pieces side by side, from the left. ``goes_on``: it continues the paragraph of the row before it."""

    pieces: tuple[Piece, ...]
    goes_on: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        if len(self.pieces) == 1:
            return self.pieces[0][:4]
        return (
            min(p.x0 for p in self.pieces),
            min(p.y0 for p in self.pieces),
            max(p.x1 for p in self.pieces),
            max(p.y1 for p in self.pieces),
        )

    @property
    def text(self) -> str:
        return " ".join(p.text for p in self.pieces)


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
