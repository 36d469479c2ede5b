"""Bytes of a picture → upright RGB pixels, within bounds (rule SEC-3)."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageOps

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason, SourceLimits

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_DEEP = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N", "F"})


def measured(data: bytes, *, limits: SourceLimits) -> tuple[int, int]:
    """Return width and height in pixels, as the header says; nothing is decoded.

    Raises:
        InputRejected: BROKEN, or TOO_MANY_PIXELS (``megapixels``, ``limit``).
    """
    with _opened(data, limits) as picture:
        return picture.size


def upright(data: bytes, *, limits: SourceLimits) -> Image.Image:
    """Decode the first frame: turned as the camera says, over white where it is transparent, 8 bits, RGB.

    Raises:
        InputRejected: BROKEN, or TOO_MANY_PIXELS (``megapixels``, ``limit``).
    """
    with _opened(data, limits) as picture:
        try:
            picture.load()
            turned = ImageOps.exif_transpose(picture) or picture
            return _rgb(turned)
        except (OSError, ValueError, SyntaxError, IndexError, EOFError) as error:
            raise InputRejected(Reason.BROKEN, f"picture: {error}"[:200]) from error


@contextmanager
def _opened(data: bytes, limits: SourceLimits) -> Iterator[Image.Image]:
    """The picture behind its header. Pillow's own limit on pixels is a warning; ours is a refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of broken metadata, and of sizes that are measured here
        try:
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
        except Image.DecompressionBombError as error:
            raise _too_many(limits.max_image_pixels * 2, limits) from error
        except (OSError, ValueError, SyntaxError, EOFError) as error:
            raise InputRejected(Reason.BROKEN, f"picture: {error}"[:200]) from error
        with picture:
            pixels = picture.width * picture.height
            if pixels > limits.max_image_pixels:
                raise _too_many(pixels, limits)
            if pixels == 0:
                raise InputRejected(Reason.BROKEN, "picture without pixels")
            yield picture


def _too_many(pixels: int, limits: SourceLimits) -> InputRejected:
    million = 1_000_000
    return InputRejected(
        Reason.TOO_MANY_PIXELS, megapixels=-(-pixels // million), limit=limits.max_image_pixels // million
    )


def _rgb(picture: Image.Image) -> Image.Image:
    if picture.mode in _DEEP:
        return _eight_bits(picture)
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return picture.convert("RGB")


def _eight_bits(picture: Image.Image) -> Image.Image:
    """16 bits and more: scaled by what the picture uses, since converting would clip everything to white."""
    low, high = (float(value) for value in picture.convert("F").getextrema())  # type: ignore[arg-type]  # one band
    scale = 255.0 / (high - low) if high > low else 0.0
    return picture.convert("F").point(lambda value: value * scale - low * scale).convert("L").convert("RGB")
