"""What rendering needs from a codec library. All of it blocks, so adapters run it off the event loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pipeline.domain.audio import AudioLimits, Measured


@dataclass(frozen=True)
class Encoded:
    """Two finished files of the same programme, each measured by a full decode, and its waveform for a player."""

    mp3: bytes
    ogg: bytes
    mp3_measured: Measured
    ogg_measured: Measured
    peaks: tuple[int, ...]  # 64 values 0–100, evenly over the duration


class MediaCodec(Protocol):
    identity: str  # library versions; part of the audio fingerprint

    async def encode(self, pcm: bytes, *, sample_rate_hz: int, limits: AudioLimits) -> Encoded:
        """Normalise loudness, encode once to MP3 and once to OGG/Opus, decode both, measure.

        Raises:
            AudioRejected: the PCM is silent, or a file does not decode.
        """
        ...
