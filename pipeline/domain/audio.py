"""The audio gate: durations are measured, exact and bounded (rules AUD-1 to AUD-3, TTS-3, TTS-4)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from pipeline.domain.errors import AudioRejected

MAX_DURATION_MS = 300_000  # fixed, rule AUD-2


@dataclass(frozen=True)
class AudioLimits:
    sample_rate_hz: int = 24_000
    mp3_bit_rate: int = 64_000
    opus_bit_rate: int = 24_000
    loudness_lufs: float = -16.0
    loudness_tolerance_lu: float = 1.0
    true_peak_db: float = -3.0  # two-pass loudnorm overshoots after Opus
    max_voice_bytes: int = 1024 * 1024
    max_declared_drift_ms: int = 100
    min_s_per_char: float = 0.12
    max_s_per_char: float = 0.45
    max_segment_chars: int = 400


@dataclass(frozen=True)
class Measured:
    """What a full decode of a finished file found. ``declared_s`` is None when the container names no duration."""

    container: str  # "mp3" | "ogg"
    bytes: int
    sha256: str  # hex, computed by us (rule AUD-4)
    decoded_samples: int
    sample_rate_hz: int
    declared_s: Decimal | None
    integrated_lufs: float | None
    true_peak_db: float | None = None


@dataclass(frozen=True)
class SpokenSegment:
    """One synthesis call: sentences ``first``..``last`` of the script (inclusive), or a part of one long sentence."""

    index: int
    first: int
    last: int
    text: str  # normalised for the ear
    text_sha256: str
    pieces: tuple[tuple[int, str], ...] = ()  # (sentence index, spoken text) in order; their join is ``text``


@dataclass(frozen=True)
class Cue:
    """When a script sentence sounds, in ms of the finished file, half-open."""

    sentence: int
    start_ms: int
    end_ms: int


def duration_ms(samples: int, sample_rate_hz: int) -> int:
    """Milliseconds of ``samples``, rounded up so that nothing beyond a limit is cut off (rule AUD-2)."""
    exact = Decimal(samples) * 1000 / Decimal(sample_rate_hz)
    return int(exact.to_integral_value(rounding=ROUND_CEILING))


def admit(measured: Measured, *, limits: AudioLimits) -> int:
    """Return the duration in ms if the file may be published.

    Raises:
        AudioRejected: names the rule broken: ``too_long``, ``undecodable`` or ``duration_mismatch``.
    """
    declared = measured.declared_s
    if declared is None or not declared.is_finite() or declared <= 0:
        raise AudioRejected("undecodable", f"{measured.container}: no finite declared duration")
    actual = duration_ms(measured.decoded_samples, measured.sample_rate_hz)
    if actual <= 0:
        raise AudioRejected("undecodable", f"{measured.container}: decodes to nothing")
    drift = abs(int(declared * 1000) - actual)
    if drift > limits.max_declared_drift_ms:
        raise AudioRejected("duration_mismatch", f"{measured.container}: declared and decoded differ by {drift} ms")
    if actual > MAX_DURATION_MS:
        raise AudioRejected("too_long", f"{actual} ms, at most {MAX_DURATION_MS}", length_ms=actual)
    return actual
