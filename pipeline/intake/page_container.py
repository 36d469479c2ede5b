"""Where in the tree a set of pieces lives: the deepest element that holds most of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pipeline.intake.tree import Piece

_MOST = 0.8


def within(whole: Sequence[Piece], container: Any) -> list[int]:
    """Indexes of the pieces that stand in ``container``."""
    return [index for index, piece in enumerate(whole) if inside(piece.element, container)]


def inside(element: Any, container: Any) -> bool:
    return element is container or any(above is container for above in element.iterancestors())


def below(sized: Iterable[tuple[Piece, int]]) -> dict[Any, int]:
    """Sum of the sizes of the pieces below each element."""
    totals: dict[Any, int] = {}
    for piece, letters in sized:
        if piece.element is not None:
            for element in (piece.element, *piece.element.iterancestors()):
                totals[element] = totals.get(element, 0) + letters
    return totals


def deepest(tree: Any, totals: dict[Any, int]) -> Any:
    """The deepest element that still holds four fifths of the whole; None when there is nothing."""
    whole = totals.get(tree, 0)
    if not whole:
        return None
    container = tree
    while True:
        inner = next((child for child in container if totals.get(child, 0) >= _MOST * whole), None)
        if inner is None:
            return container
        container = inner


def main_element(tree: Any, whole: Sequence[Piece], kept: Sequence[int]) -> Any:
    """The deepest element that holds four fifths of what was kept."""
    found = deepest(tree, below((whole[i], len(whole[i].text)) for i in kept))
    return tree if found is None else found
