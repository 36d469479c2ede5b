"""What intake needs from a parser of foreign bytes."""

from __future__ import annotations

from typing import Protocol

from pipeline.domain.source import Extraction, InputType


class Parser(Protocol):
    async def parse(self, data: bytes, *, name: str, kind: InputType) -> Extraction:
        """Read ``data`` in a child with limits of its own (rule SEC-3).

        Raises:
            InputRejected: what is wrong with the input, as a Reason.
            ChildDied: out of time, out of memory, or crashed; costs this source, nothing else.
        """
        ...
