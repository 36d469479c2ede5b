"""rapidocr behind one call: pixels in, upright lines out. Runs inside the OCR child only.

The models lie in the wheel; nothing is downloaded. One engine, one picture at a time.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pipeline.domain.source import OcrLine

ENGINE = f"rapidocr {version('rapidocr')}"

Pixels = NDArray[np.uint8]  # height × width × 3

_ONE_PASS = 2_400  # pixels of the longer side that one pass of detection takes
_TILE_PIXELS = 5_000_000
_TILE_WIDTH = 3_200
_TILE_HEIGHT = 2_400
_OVERLAP = 256  # pixels: taller than two lines of a screenshot
_LONG = 2.5  # height ÷ width from which a picture is cut before it is scaled
_SMALL_LINE = 15  # pixels: lines this low lose strokes, so the page is read again in tiles at full size
_MIN_SIDE = 96
_LEAST_TURNED = 3  # lines
_TURN_SHARE = 0.6
_SKEW = 0.3 * math.pi / 180
_MAX_SKEW = 15 * math.pi / 180


@dataclass(frozen=True, eq=False)
class _Found:
    """A line as the engine gives it. ``corners``: 4 × 2, from the text's own top left, clockwise."""

    text: str
    score: float
    corners: NDArray[np.float64]

    @property
    def sides(self) -> tuple[float, float]:
        """Length along and across the text, as detected (before a tall crop is turned)."""
        a, b, _, d = self.corners
        return float(np.hypot(*(b - a))), float(np.hypot(*(d - a)))


class RapidModel:
    """Loads the engine once; ``threads`` bounds what one inference takes."""

    def __init__(self, *, threads: int) -> None:
        # The library installs a coloured handler of its own and writes at "info"; its words are no use in a child.
        logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
        from rapidocr import RapidOCR

        cv2.setNumThreads(threads)
        onnx = "EngineConfig.onnxruntime"
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": max(_TILE_WIDTH, _ONE_PASS),
                f"{onnx}.intra_op_num_threads": threads,
                f"{onnx}.inter_op_num_threads": 1,
            }
        )
        self._turned = False
        # One step is watched: the engine keeps for itself which lines stood on their heads.
        self._classify = self._engine.cls_and_rotate
        setattr(self._engine, "cls_and_rotate", self._upright_crops)  # noqa: B010  # assigning to a method is no type

    def _upright_crops(self, crops: list[Pixels]) -> Any:
        """Turn all lines or none: a page stands one way, and a lone line that seems to stand another is a mistake."""
        turned, found = self._classify(crops)
        heads = sum(label == "180" and score > 0.9 for label, score in found.cls_res or ())
        self._turned = heads > _TURN_SHARE * len(crops)
        return (turned if self._turned else crops), found

    def read(self, pixels: Pixels) -> tuple[int, int, tuple[OcrLine, ...]]:
        """Return width and height of the upright picture, and its lines in the engine's order.

        A picture that lies on its side or on its head is turned; lines that all lean the same way are set straight.
        Boxes count in pixels of the picture after that.
        """
        pixels, found = self._upright(pixels)
        height, width = pixels.shape[:2]
        return width, height, tuple(_straight(found, width, height))

    def _upright(self, pixels: Pixels) -> tuple[Pixels, list[_Found]]:
        found, on_head = self._passes(pixels)
        words = [line for line in found if len(line.text) > 1]
        if len(words) < _LEAST_TURNED:
            return pixels, found
        tall = sum(across > 1.5 * along for along, across in (line.sides for line in words))
        if tall > _TURN_SHARE * len(words):
            # The engine sets tall crops upright by a quarter turn to the left: the page needs the same, or, where the
            # lines then stood on their heads, one to the right. Han set from the top down is no better for it.
            quarters = 3 if on_head else 1
        elif on_head:
            quarters = 2
        else:
            return pixels, found
        turned = np.ascontiguousarray(np.rot90(pixels, quarters))
        again, _ = self._passes(turned)
        return (turned, again) if _weight(again) >= 0.9 * _weight(found) else (pixels, found)

    def _passes(self, pixels: Pixels) -> tuple[list[_Found], bool]:
        """Lines of the whole picture, and whether they stood on their heads."""
        height, width = pixels.shape[:2]
        scale = min(1.0, _ONE_PASS / max(height, width))
        if scale == 1.0 or height <= _LONG * width:
            found, on_head = self._one(_scaled(pixels, scale), scale)
            heights = sorted(min(line.sides) * scale for line in found)
            if scale > 0.9 or not heights or heights[len(heights) // 2] >= _SMALL_LINE:
                return found, on_head
        return self._tiles(pixels)

    def _tiles(self, pixels: Pixels) -> tuple[list[_Found], bool]:
        """Read full-width strips that overlap; a line in two strips is kept where it is whole."""
        scale = min(1.0, _TILE_WIDTH / pixels.shape[1])
        pixels = _scaled(pixels, scale)
        height, width = pixels.shape[:2]
        tall = int(max(4 * _OVERLAP, min(_TILE_HEIGHT, _TILE_PIXELS / width)))
        found: list[_Found] = []
        on_head = 0
        for start, stop in strips(height, tall, _OVERLAP):
            lines, head = self._one(pixels[start:stop], scale, top=start / scale)
            found = merged(found, lines, seam=(start + _OVERLAP / 2) / scale if start else None)
            on_head += len(lines) if head else 0
        return found, on_head > len(found) / 2

    def _one(self, pixels: Pixels, scale: float, top: float = 0.0) -> tuple[list[_Found], bool]:
        """One pass of the engine; corners come back in pixels of the unscaled picture."""
        self._turned = False
        padded, left, above = _padded(pixels)
        result = self._engine(np.ascontiguousarray(padded[:, :, ::-1]))
        if result.txts is None or result.boxes is None:
            return [], False
        shift = np.array([left, above], dtype=np.float64)
        lines = [
            _Found(text.strip(), float(score), (np.asarray(box, dtype=np.float64) - shift) / scale + (0.0, top))
            for text, score, box in zip(result.txts, result.scores, result.boxes, strict=True)
            if text.strip()
        ]
        return lines, self._turned


def _weight(found: list[_Found]) -> float:
    return sum(line.score * len(line.text) for line in found)


def _scaled(pixels: Pixels, scale: float) -> Pixels:
    if scale == 1.0:
        return pixels
    height, width = pixels.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _padded(pixels: Pixels) -> tuple[Pixels, int, int]:
    """A thin picture gets a border of its own edge colour: detection scales the shorter side up, without a bound."""
    height, width = pixels.shape[:2]
    least = max(_MIN_SIDE, max(height, width) // 4)
    across, down = max(0, least - width), max(0, least - height)
    if not across and not down:
        return pixels, 0, 0
    left, above = across // 2, down // 2
    border = (above, down - above, left, across - left)
    return np.asarray(cv2.copyMakeBorder(pixels, *border, cv2.BORDER_REPLICATE), dtype=np.uint8), left, above


def strips(height: int, tall: int, overlap: int) -> list[tuple[int, int]]:
    """Cut ``height`` into ranges of at most ``tall`` rows, each overlapping the one before by ``overlap``."""
    if height <= tall:
        return [(0, height)]
    count = -(-(height - overlap) // (tall - overlap))
    step = -(-(height - overlap) // count)
    return [(at, min(height, at + step + overlap)) for at in range(0, height - overlap, step)]


def merged(above: list[_Found], below: list[_Found], *, seam: float | None) -> list[_Found]:
    """Join two strips that overlap around ``seam`` (rows): whoever holds more of a line keeps it, once."""
    if seam is None:
        return above + below
    kept = [line for line in above if _middle(line) <= seam + _OVERLAP / 8]
    for line in below:
        if _middle(line) < seam - _OVERLAP / 8:
            continue
        twin = next((other for other in reversed(kept[-40:]) if _overlap(line, other) > 0.5), None)
        if twin is None:
            kept.append(line)
        elif (len(line.text), line.score) > (len(twin.text), twin.score):
            kept[kept.index(twin)] = line
    return kept


def _middle(line: _Found) -> float:
    return float(line.corners[:, 1].mean())


def _bounds(line: _Found) -> tuple[float, float, float, float]:
    (x0, y0), (x1, y1) = line.corners.min(axis=0), line.corners.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


def _overlap(one: _Found, two: _Found) -> float:
    """Shared area as a share of the smaller box."""
    a, b = _bounds(one), _bounds(two)
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return max(0.0, across) * max(0.0, down) / smaller if smaller > 0 else 0.0


def _straight(found: list[_Found], width: int, height: int) -> list[OcrLine]:
    """Boxes of the lines; when the page leans, rows are moved back by the lean of its longer lines."""
    tilts = [
        (float(np.hypot(*(b - a))), math.atan2(float(b[1] - a[1]), float(b[0] - a[0])))
        for a, b in ((line.corners[0], line.corners[1]) for line in found if len(line.text) > 3)
    ]
    tilt = _weighted_median(tilts)
    lean = math.tan(tilt) if _SKEW < abs(tilt) < _MAX_SKEW else 0.0
    lines = []
    for line in found:
        corners = line.corners.copy()
        corners[:, 1] -= (corners[:, 0] - width / 2) * lean
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
        box = (max(0, int(x0)), max(0, int(y0)), min(width, math.ceil(x1)), min(height, math.ceil(y1)))
        lines.append(OcrLine(line.text, box, round(line.score, 4)))
    return lines


def _weighted_median(values: list[tuple[float, float]]) -> float:
    """The value at half of the weight; 0 for none."""
    half, seen = sum(weight for weight, _ in values) / 2, 0.0
    for weight, value in sorted(values, key=lambda pair: pair[1]):
        seen += weight
        if seen >= half:
            return value
    return 0.0
