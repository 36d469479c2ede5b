"""The recogniser's child process: ``python -m pipeline.worker.ocr`` (rules SEC-3, RUN-9).

Reads one request on standard input, then writes a frame for each page as it is read (pipeline/providers/ocr_frames.py)
and ends. It runs under limits of memory and CPU, opens no file for writing and knows no secret.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, OcrPage, SourceLimits
from pipeline.providers import ocr_frames
from pipeline.providers.parse_frames import MEMORY_EXIT, PREFIX_BYTES, frame_size, refusal
from pipeline.worker.child import bound

if TYPE_CHECKING:
    from pipeline.providers.rapidocr_model import Pixels

_LOADING_PAGES = 1  # loading the models may take as long as a page


def main() -> int:
    """Serve one request; the exit code is 0 for answers of either kind and 71 when memory ran out."""
    sys.dont_write_bytecode = True
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up inside a frame
    try:
        _serve(sys.stdin.buffer, answers)
    except MemoryError:
        os._exit(MEMORY_EXIT)
    return 0


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    def say(frame: bytes) -> None:
        answers.write(frame)
        answers.flush()

    header = json.loads(requests.read(frame_size(requests.read(PREFIX_BYTES))))
    data = requests.read(header["size"])
    limits, threads, pages = SourceLimits(**header["limits"]), int(header["threads"]), header["pages"]
    cpu_s = (len(pages) + _LOADING_PAGES) * limits.ocr_page_time_s * threads
    bound(memory_bytes=limits.ocr_memory_bytes, cpu_s=cpu_s)
    try:
        picture = _pictures(data, InputType(header["kind"]), limits)
        _recognise(picture, pages, threads, say)
    except InputRejected as error:
        say(refusal(error))


def _recognise(
    picture: Callable[[int], Pixels | None], pages: list[int], threads: int, say: Callable[[bytes], None]
) -> None:
    from pipeline.providers.rapidocr_model import ENGINE, RapidModel

    model = RapidModel(threads=threads)
    say(ocr_frames.ready(ENGINE))
    for number in pages:
        pixels = picture(number)
        width, height, lines = model.read(pixels) if pixels is not None else (0, 0, ())
        say(ocr_frames.page(OcrPage(number, width, height, lines, ENGINE)))
    say(ocr_frames.done())


def _pictures(data: bytes, kind: InputType, limits: SourceLimits) -> Callable[[int], Pixels | None]:
    """Return what gives the pixels of a page; None for a page that cannot be drawn.

    Raises:
        InputRejected: BROKEN, TOO_MANY_PIXELS; before the models are loaded.
    """
    import numpy as np

    if kind is InputType.IMAGE:
        from pipeline.intake.picture import upright

        decoded = np.asarray(upright(data, limits=limits))
        return lambda number: decoded if number == 1 else None
    from pipeline.intake.pdf_picture import Drawing

    drawing: Any = Drawing(data)
    return drawing.page  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main())
