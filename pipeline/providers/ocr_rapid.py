"""Recogniser: rapidocr in a child process with limits of its own (rule SEC-3).

The bytes are decoded, rendered and recognised there; pages come back one by one. Each page has its own time limit; the
child and its group are killed when the iterator ends, however it ends. Close the iterator (``contextlib.aclosing``)
when you leave it early: until then the child goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib.metadata import version

from pipeline.domain.errors import ChildDied
from pipeline.domain.source import InputType, OcrPage, SourceLimits
from pipeline.providers import limited_child, ocr_frames

_NAME = "ocr_rapid"
_MODELS = "PP-OCRv6 small"


def _identity() -> str:
    return f"rapidocr {version('rapidocr')} {_MODELS}, onnxruntime {version('onnxruntime')}"


@dataclass(frozen=True)
class RapidRecogniser:
    """``threads`` is what one inference may use. ``command`` is for tests: another child in the real one's place."""

    limits: SourceLimits
    threads: int = 2
    command: tuple[str, ...] = (sys.executable, "-m", "pipeline.worker.ocr")
    identity: str = field(default_factory=_identity)

    async def recognise(self, data: bytes, *, kind: InputType, pages: tuple[int, ...]) -> AsyncIterator[OcrPage]:
        """Yield each page as it is read.

        Raises:
            InputRejected: BROKEN, TOO_MANY_PIXELS.
            ChildDied: ``timeout`` (of one page, or of loading the models), ``memory`` or ``crash``.
        """
        if not pages:
            return
        process = await limited_child.start(self.command)
        stdin, stdout, stderr = limited_child.pipes(process, _NAME)
        message = ocr_frames.request(data, kind=kind, pages=pages, threads=self.threads, limits=self.limits)
        writing = asyncio.create_task(limited_child.write(stdin, message))
        listening = asyncio.create_task(limited_child.tail(stderr))
        try:
            while True:
                answer = await self._answer(process, stdout, listening)
                if isinstance(answer, OcrPage):
                    yield answer
                elif answer:
                    return
        finally:
            await limited_child.end(process)
            for task in (writing, listening):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def _answer(
        self, process: asyncio.subprocess.Process, stdout: asyncio.StreamReader, listening: asyncio.Task[bytes]
    ) -> OcrPage | bool:
        try:
            async with asyncio.timeout(self.limits.ocr_page_time_s):
                payload = await limited_child.read_frame(stdout)
                if payload is None:
                    raise limited_child.death(_NAME, await process.wait(), await asyncio.shield(listening))
        except TimeoutError:
            raise ChildDied(_NAME, "timeout", f"no page within {self.limits.ocr_page_time_s} s") from None
        try:
            return ocr_frames.read_answer(payload)
        except ValueError as error:
            raise ChildDied(_NAME, "crash", f"unreadable answer: {error}") from error
