"""What intake needs from a parser of foreign bytes."""

from __future__ import annotations

from typing import Protocol

from pipeline.domain.source import Extraction, InputType, ReadHints


class Parser(Protocol):
    async def parse(self, data: bytes, *, name: str, kind: InputType, hints: ReadHints | None = None) -> Extraction:
        """Read ``data`` in a child with limits of its own (rule SEC-3).

        A result with ``unread`` pages is read again with what OCR saw on them in ``hints.recognised``; pages that
        are not among those stay missing, and are reported.

        Raises:
            InputRejected: what is wrong with the input, as a Reason.
            ChildDied: out of time, out of memory, or crashed; costs this source, nothing else.
        """
        ...

    async def unlock(self, data: bytes, *, password: str) -> bytes:
        """Return the PDF without its password, so that no password is ever stored.

        Raises:
            InputRejected: WRONG_PASSWORD, or BROKEN.
            ChildDied: as for ``parse``.
        """
        ...
