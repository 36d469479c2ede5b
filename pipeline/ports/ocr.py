"""What intake needs from a recogniser of text in pictures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from pipeline.domain.source import InputType, OcrPage


class Recogniser(Protocol):
    @property
    def identity(self) -> str:
        """Name and versions: part of every fingerprint of its results."""
        ...

    def recognise(self, data: bytes, *, kind: InputType, pages: tuple[int, ...]) -> AsyncIterator[OcrPage]:
        """Yield what stands on each of ``pages`` (1-based) of a PDF, or on page 1 of a picture, as it is read.

        The bytes are decoded and recognised in a child with limits of its own (rule SEC-3). A page on which nothing
        is found is yielded without lines: seen, and empty. Closing the iterator ends the child.

        Raises:
            InputRejected: BROKEN, TOO_LARGE.
            ChildDied: out of time (per page), out of memory, or crashed. Pages yielded before stand.
        """
        ...
