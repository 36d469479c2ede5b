"""Synthesizer without a voice: a quiet tone of plausible length. Counts every call and never deduplicates."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pipeline.domain.errors import Refused
from pipeline.domain.spoken import beats
from pipeline.ports.tts import Receipt, Speech
from pipeline.providers.tts_local import SpeechShelf

_RATE_HZ = 24_000
_S_PER_BEAT = 0.22  # 4.5 characters a second


class FakeSynthesizer:
    """``calls`` holds the pieces of every submit, in order. A voice named "nobody" is refused.

    Args:
        knows_ends: False makes it like a service that returns one recording without the pieces' ends.
        s_per_beat: pace; outside 0.12–0.45 the segment is suspect (rule TTS-4).
    """

    effect: Literal["none", "billed"] = "none"
    identity = "fake-tone 1"
    max_chars = 600

    def __init__(self, *, knows_ends: bool = True, s_per_beat: float = _S_PER_BEAT) -> None:
        self.calls: list[tuple[str, ...]] = []
        self._knows_ends, self._s_per_beat = knows_ends, s_per_beat
        self._shelf = SpeechShelf("fake")

    async def submit(self, pieces: tuple[str, ...], *, voice: str, call_id: str) -> Receipt:
        self.calls.append(pieces)
        if voice == "nobody":
            raise Refused("fake", f"no voice {voice!r}")
        lengths = [round(beats(piece) * self._s_per_beat * _RATE_HZ) for piece in pieces]
        ends = tuple(int(end) for end in np.cumsum(lengths))
        time = np.arange(sum(lengths)) / _RATE_HZ
        # Swells four times a second, roughly as syllables do, so that loudness gates see speech and not a test tone.
        tone = np.sin(2 * np.pi * 220.0 * time) * (0.6 + 0.4 * np.sin(2 * np.pi * 4.0 * time)) * 0.2
        speech = Speech((tone * 32767).astype("<i2").tobytes(), _RATE_HZ, ends if self._knows_ends else ())
        return Receipt(
            request_id=call_id, locator=self._shelf.put(speech, call_id=call_id), expires_at=None, cost_micro=0
        )

    async def fetch(self, receipt: Receipt) -> Speech:
        return self._shelf.get(receipt.locator)
