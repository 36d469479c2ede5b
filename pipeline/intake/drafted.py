"""Pieces of a tree → a draft: what stands together is said together."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.source import BlockKind
from pipeline.intake.structure import Draft, heading_level
from pipeline.intake.tree import Piece


def drafted(pieces: Sequence[Piece]) -> Draft:
    """Return a draft with one entry per piece; a term stands with its meaning, a list item with its number."""
    draft = Draft()
    for index, piece in enumerate(pieces):
        kind, level, text = piece.kind, piece.level, piece.mark + piece.text
        if kind is BlockKind.PARAGRAPH and (level := heading_level(piece.text)):
            kind = BlockKind.HEADING
        before = pieces[index - 1] if index else piece
        following = pieces[index + 1] if index + 1 < len(pieces) else piece
        if piece.role == "dt" and following.role == "dd":
            text = ""  # said with its meaning
        elif piece.role == "dd" and before.role == "dt":
            text = f"{before.text.rstrip('：:')}：{text}"
        draft.add(kind, text, level)
    return draft
