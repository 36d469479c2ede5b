"""A picture of text (screenshot, photographed notice) → canonical text with the place of every line (rule SRC-5)."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, InputType, OffsetMap, Quality, ReadHints, Reason, SourceLimits
from pipeline.intake.paged import best_title, put_together
from pipeline.intake.picture import measured, upright
from pipeline.intake.recognised import seen

_PARTIAL = 0.2  # share of uncertain lines from which what was read is not the whole


def extract_image(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Ask for OCR at first, and read what it saw the second time.

    Raises:
        InputRejected: BROKEN, TOO_MANY_PIXELS (``megapixels``, ``limit``), or NO_TEXT when nothing was recognised.
    """
    measured(data, limits=limits)
    found = next((page for page in hints.recognised if page.page == 1), None)
    if found is None:
        upright(data, limits=limits)  # a picture that does not decode is said so before OCR is started
        return _unread(name)
    read = seen(found)
    if not read.lines or read.noise:
        raise InputRejected(Reason.NO_TEXT)
    paged = put_together([read.page], {})
    return Extraction(
        title=best_title("", paged.text, paged.blocks, name),
        text=paged.text,
        raw=paged.raw,
        offsets=paged.offsets,
        blocks=tuple(replace(block, page=None) for block in paged.blocks),
        quality=Quality.PARTIAL if read.uncertain > _PARTIAL * read.lines else Quality.FULL,
        extractor=found.engine,
        recognised=(1,),
        boxes=paged.boxes,
        removed=paged.removed,
        notes=(f"ocr_uncertain:{read.uncertain}",) if read.uncertain else (),
    )


def _unread(name: str) -> Extraction:
    return Extraction(
        title=name.rsplit(".", 1)[0],
        text="",
        raw="",
        offsets=OffsetMap(()),
        blocks=(),
        quality=Quality.EMPTY,
        extractor=f"pillow {version('pillow')}",
        unread=(1,),
    )
