"""A page of a PDF as a picture, for the recogniser (rule SRC-5)."""

from __future__ import annotations

import math

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason

_DPI = 200
_MAX_PIXELS = 24_000_000
_MAX_SIDE = 30_000  # pixels


class Drawing:
    """An open PDF that draws its pages."""

    def __init__(self, data: bytes) -> None:
        """Raises InputRejected: BROKEN, or ENCRYPTED (what is drawn was unlocked before)."""
        try:
            self._document = pypdfium2.PdfDocument(data)
            self._document.init_forms()
        except pypdfium2.PdfiumError as error:
            raise InputRejected(Reason.BROKEN, str(error)) from error

    def page(self, number: int) -> NDArray[np.uint8] | None:
        """Return page ``number`` (1-based) as height × width × 3, RGB, ~200 dpi; None when it cannot be drawn.

        A page whose size asks for more than 24 million pixels is drawn as large as these allow.
        """
        if not 1 <= number <= len(self._document):
            return None
        try:
            page = self._document[number - 1]
        except pypdfium2.PdfiumError:
            return None
        try:
            scale = _scale(*page.get_size())
            if scale == 0.0:
                return None
            bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, may_draw_forms=True)
            return np.array(bitmap.to_numpy()[:, :, :3])
        except pypdfium2.PdfiumError:
            return None
        finally:
            page.close()


def _scale(width: float, height: float) -> float:
    """Pixels per point; 0 for a page without an area, or so thin that bounding one side leaves none of the other."""
    if not (math.isfinite(width) and math.isfinite(height)) or width <= 0 or height <= 0:
        return 0.0
    scale = min(_DPI / 72, math.sqrt(_MAX_PIXELS / (width * height)), _MAX_SIDE / max(width, height))
    return scale if min(width, height) * scale >= 8 else 0.0
