"""Where speech made on this machine waits between submit and fetch."""

from __future__ import annotations

from collections import OrderedDict

from pipeline.domain.errors import Expired
from pipeline.ports.tts import Speech


class SpeechShelf:
    """The newest speeches, up to ``max_bytes`` of PCM; the oldest goes first. The newest always stays.

    Nothing here survives the process. That is harmless: making it again costs no money (``effect = "none"``).
    """

    def __init__(self, provider: str, *, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._provider, self._max_bytes = provider, max_bytes
        self._kept: OrderedDict[str, Speech] = OrderedDict()
        self._count = 0

    def put(self, speech: Speech, *, call_id: str) -> str:
        """Keep ``speech``; return its locator, a new one each time, the same ``call_id`` or not."""
        self._count += 1
        locator = f"{self._provider}/{call_id}/{self._count}"
        self._kept[locator] = speech
        while len(self._kept) > 1 and sum(len(kept.pcm) for kept in self._kept.values()) > self._max_bytes:
            self._kept.popitem(last=False)
        return locator

    def get(self, locator: str) -> Speech:
        """Raises Expired when it was pushed out, or made by a process that is gone."""
        try:
            return self._kept[locator]
        except KeyError:
            raise Expired(self._provider, f"no speech under {locator!r} in this process") from None
