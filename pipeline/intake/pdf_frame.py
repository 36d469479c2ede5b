"""The box of a PDF page as its reader sees it: upright, from its top left, in points."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

Rect = tuple[float, float, float, float]  # x0, y0, x1, y1; y grows downward
_SAMPLE = 8  # characters that tell which way a page's text stands
_LAST_SPACE = 32


@dataclass(frozen=True)
class Frame:
    """A page's box in user space and its rotation; turns user space into what is seen."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int  # degrees clockwise: 0, 90, 180, 270

    @property
    def width(self) -> float:
        return self.top - self.bottom if self.rotation in (90, 270) else self.right - self.left

    @property
    def height(self) -> float:
        return self.right - self.left if self.rotation in (90, 270) else self.top - self.bottom

    def seen(self, left: float, bottom: float, right: float, top: float) -> Rect:
        """A box of user space in points from the top left of the page as it is shown."""
        x0, x1 = left - self.left, right - self.left
        y0, y1 = bottom - self.bottom, top - self.bottom
        across, down = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            return y0, x0, y1, x1
        if self.rotation == 180:
            return across - x1, y0, across - x0, y1
        if self.rotation == 270:
            return down - y1, across - x1, down - y0, across - x0
        return x0, down - y1, x1, down - y0


def frame_of(page: Any, textpage: Any) -> Frame:
    """The box that is shown (crop box within media box), turned so that most of its text stands upright.

    That is the page's own rotation, except where a landscape table lies on an upright page.
    """
    box = pdfium.FS_RECTF()
    rotation = _rotation(textpage)
    if rotation is None:
        rotation = page.get_rotation()
    if not pdfium.FPDF_GetPageBoundingBox(page.raw, ctypes.byref(box)):
        width, height = page.get_size()
        return Frame(0.0, 0.0, width, height, rotation)
    return Frame(
        min(box.left, box.right),
        min(box.bottom, box.top),
        max(box.left, box.right),
        max(box.bottom, box.top),
        rotation,
    )


def _rotation(textpage: Any) -> int | None:
    """Degrees clockwise that set most of the text upright, by a sample; None for a page without text."""
    count = textpage.count_chars()
    raw = textpage.raw
    found: Counter[int] = Counter()
    for index in range(0, count, max(1, count // _SAMPLE)):
        if pdfium.FPDFText_GetUnicode(raw, index) > _LAST_SPACE:
            found[_quarters(pdfium.FPDFText_GetCharAngle(raw, index))] += 1
    return (360 - 90 * found.most_common(1)[0][0]) % 360 if found else None


def _quarters(angle: float) -> int:
    """An angle in radians as the nearest number of quarter turns, 0 to 3."""
    return round(angle / (math.pi / 2)) % 4 if angle >= 0 else 0
