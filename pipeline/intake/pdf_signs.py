"""Cheap signs of what a PDF page is, so that its geometry is read only where it must be (pitfalls P6, P7).

A text page of forty lines costs about as much here as a twentieth of pdfium's own reading of it.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from pipeline.intake.pdf_frame import Frame, Rect

_MAX_OBJECTS = 4_000
_MAX_RECTS = 6_000
_SCANNED = 0.6  # share of the page that pictures cover
_THIN = 2.5  # points: a path no thicker is a rule
_WHITE = 245
_BESIDE = 4  # lines with a wide gap inside, in the stream's own order
_BACK = 3
_LEAST_RULES = 3
_LONG_LINES = 12  # characters: pages with longer lines, line ends included, are set level
_SHORT_LINES = 0.5
_DOUBLED = re.compile(r"(?:([^\W\d_])\1{1,3}){4,}")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_VERTICAL_SCRIPT = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")


@dataclass(frozen=True)
class Marks:
    """What is drawn on a page, besides its words. Boxes as seen."""

    objects: int
    pictures: tuple[Rect, ...]
    grounds: tuple[Rect, ...]  # filled areas: what white text may stand on
    rules: tuple[Rect, ...]
    paths: tuple[Any, ...]  # handles of drawn paths that are no single rule: a grid may be one of them
    unseen: tuple[Any, ...]  # handles of text objects that are drawn invisible, or white

    def pictured(self, frame: Frame) -> bool:
        """Whether pictures cover the page: then its words, if any, are what a machine read off them."""
        area = frame.width * frame.height
        covered = sum(max(0.0, p[2] - p[0]) * max(0.0, p[3] - p[1]) for p in self.pictures)
        return area > 0 and covered >= _SCANNED * area


def marks_of(page: Any, frame: Frame) -> Marks:
    """Look once at each object of the page, at most 4,000."""
    raw = page.raw
    count = pdfium.FPDFPage_CountObjects(raw)
    pictures: list[Rect] = []
    grounds: list[Rect] = []
    rules: list[Rect] = []
    paths: list[Any] = []
    unseen: list[Any] = []
    for index in range(min(count, _MAX_OBJECTS)):
        item = pdfium.FPDFPage_GetObject(raw, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            if _is_unseen(item):
                unseen.append(item)
            continue
        box = _bounds(item, frame)
        if box is None:
            continue
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE or (kind == pdfium.FPDF_PAGEOBJ_FORM and _holds_picture(item)):
            pictures.append(box)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH and min(box[2] - box[0], box[3] - box[1]) <= _THIN:
            rules.append(box)
        else:
            grounds.append(box)
            if kind == pdfium.FPDF_PAGEOBJ_PATH:
                paths.append(item)
    return Marks(count, tuple(pictures), tuple(grounds), tuple(rules), tuple(paths), tuple(unseen))


_COLOURS = tuple(ctypes.c_uint() for _ in range(4))
_TARGETS = tuple(ctypes.byref(colour) for colour in _COLOURS)


def _is_unseen(item: Any) -> bool:
    mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
    if mode in (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP):
        return True
    if mode != pdfium.FPDF_TEXTRENDERMODE_FILL or not pdfium.FPDFPageObj_GetFillColor(item, *_TARGETS):
        return False
    red, green, blue, alpha = (colour.value for colour in _COLOURS)
    return alpha == 0 or min(red, green, blue) >= _WHITE


_SIDES = tuple(ctypes.c_float() for _ in range(4))
_SIDE_TARGETS = tuple(ctypes.byref(side) for side in _SIDES)


def _bounds(item: Any, frame: Frame) -> Rect | None:
    if not pdfium.FPDFPageObj_GetBounds(item, *_SIDE_TARGETS):
        return None
    left, bottom, right, top = (side.value for side in _SIDES)
    left, right = max(left, frame.left), min(right, frame.right)
    bottom, top = max(bottom, frame.bottom), min(top, frame.top)
    return frame.seen(left, bottom, right, top) if right >= left and top >= bottom else None


def _holds_picture(item: Any) -> bool:
    count = pdfium.FPDFFormObj_CountObjects(item)
    return any(
        pdfium.FPDFPageObj_GetType(pdfium.FPDFFormObj_GetObject(item, index)) == pdfium.FPDF_PAGEOBJ_IMAGE
        for index in range(min(max(count, 0), 8))
    )


def rects_of(textpage: Any, frame: Frame) -> list[Rect]:
    """Boxes of the page's runs of text in the order of its stream, at most 6,000."""
    count = min(textpage.count_rects(), _MAX_RECTS)
    left, top, right, bottom = (ctypes.c_double() for _ in range(4))
    targets = tuple(map(ctypes.byref, (left, top, right, bottom)))
    raw, rect = textpage.raw, pdfium.FPDFText_GetRect
    found = []
    for index in range(count):
        if rect(raw, index, *targets):
            found.append(frame.seen(left.value, bottom.value, right.value, top.value))
    return found


@dataclass(frozen=True)
class Signs:
    """Why a page's geometry has to be read; all False for a page whose stream is its text.

    ``beside``: wide gaps inside lines: columns, or a table. ``back``: steps back in a line. ``over``: text on the same
    spot as other text. ``upright``: Han or kana one or two to a line. No reasons by themselves: ``ruled``, rules are
    drawn, a grid of them is a reason; ``jumps`` up the page, in a grid they are values printed into a form.
    """

    beside: bool
    back: bool
    jumps: bool
    over: bool
    ruled: bool
    upright: bool
    right_to_left: bool

    def __bool__(self) -> bool:
        return any((self.beside, self.back, self.over, self.upright, self.right_to_left))


def signs_of(text: str, rects: Sequence[Rect], marks: Marks) -> Signs:
    """Look at a page's words, their boxes and what is drawn."""
    ruled = len(marks.rules) + len(marks.paths) >= _LEAST_RULES
    over = _is_over_itself(rects) or bool(_DOUBLED.search(text))
    right_to_left = not text.isascii() and bool(_RTL.search(text))
    return Signs(*_order(rects), over, ruled, _is_upright(text), right_to_left)


def _is_upright(text: str) -> bool:
    if len(text) > _LONG_LINES * text.count("\n"):
        return False
    lines = text.split()
    short = sum(len(line) <= 2 for line in lines)
    return len(lines) >= 20 and short > _SHORT_LINES * len(lines) and bool(_VERTICAL_SCRIPT.search(text))


def _order(rects: Sequence[Rect]) -> tuple[bool, bool, bool]:
    """Whether the stream has many wide gaps inside lines, steps back in a line, or jumps up the page."""
    beside = back = jumps = 0
    last: Rect | None = None
    for rect in rects:
        if last is None:
            last = rect
            continue
        em = max(min(rect[3] - rect[1], last[3] - last[1]), 1.0)
        if min(rect[3], last[3]) - max(rect[1], last[1]) >= 0.3 * em:
            gap = rect[0] - last[2]
            if -2 * em <= gap <= 1.5 * em:
                last = (min(last[0], rect[0]), min(last[1], rect[1]), max(last[2], rect[2]), max(last[3], rect[3]))
                continue
            beside += gap > 0
            back += rect[2] < last[0]
        elif rect[3] < last[1] - em:
            jumps += 1
        last = rect
    return beside >= _BESIDE, back >= _BACK, jumps > 0


def _is_over_itself(rects: Sequence[Rect]) -> bool:
    """Two runs of text on the same spot: fake bold that pdfium did not see."""
    spots = [(round(r[0] / 2), round((r[1] + r[3]) / 4), round(r[2] / 2)) for r in rects if r[2] - r[0] > 4]
    return len(set(spots)) < len(spots)
