"""Which lines of a PDF page go on, by the places of their ends: cheap enough for every page."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import pypdfium2.raw as pdfium

from pipeline.intake.flow import flowing
from pipeline.intake.pdf_frame import Frame, Rect
from pipeline.intake.rows import Piece

_LINE = re.compile(r"\S(?:[^\r\n]*\S)?")


def lines_flowing(textpage: Any, text: str, frame: Frame) -> frozenset[int] | None:
    """Starts of lines of ``text`` that go on where the line before was full, by the places of each line's ends.

    ``text`` is pdfium's own for the page; None when its offsets and pdfium's may differ.
    """
    if text and max(text) > "\uffff":
        return None
    raw, box = textpage.raw, pdfium.FS_RECTF()
    target, box_of = ctypes.byref(box), pdfium.FPDFText_GetLooseCharBox
    same = textpage.count_chars() == len(text)  # pdfium left nothing out: its offsets are the text's
    lines: list[tuple[Piece, Piece]] = []
    for found in _LINE.finditer(text):
        ends = []
        for at in (found.start(), found.end() - 1):
            index = at if same else pdfium.FPDFText_GetCharIndexFromTextIndex(raw, at)
            if index < 0 or not box_of(raw, index, target):
                return None
            ends.append(frame.seen(box.left, box.bottom, box.right, box.top))
        lines.append(_begin_and_end(ends[0], ends[1], found.group(), found.start()))
    told = zip(lines, flowing(lines), strict=True)
    return frozenset(begin.at for (begin, _), goes_on in told if goes_on)


def _begin_and_end(first: Rect, last: Rect, text: str, at: int) -> tuple[Piece, Piece]:
    """A line by its first and last character; where pdfium undid a hyphen, the last stands a line lower."""
    if (last[1] + last[3]) / 2 > first[3] + 0.2 * (first[3] - first[1]):
        return (
            Piece(first[0], first[1], last[2], first[3], text, at),
            Piece(first[0], last[1], last[2], last[3], text, at),
        )
    whole = Piece(first[0], min(first[1], last[1]), last[2], max(first[3], last[3]), text, at)
    return whole, whole
