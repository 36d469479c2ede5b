"""MediaCodec on PyAV: loudness, two encodes side by side, two full decodes, measured (rules AUD-1, AUD-2).

Loudness is EBU R 128 as FFmpeg's ``ebur128`` filter measures it (ITU-R BS.1770-5 gating, four-fold oversampled true
peak). Everything blocks and runs in threads; FFmpeg works outside the interpreter lock.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import av
import av.filter
import numpy as np
from numpy.typing import NDArray

from pipeline.domain.audio import AudioLimits, Measured
from pipeline.domain.errors import AudioRejected
from pipeline.ports.media import Encoded
from pipeline.providers.loudness import limited

PEAKS = 64
_SILENT_LUFS = -69.9  # the filter answers -70 when nothing passes its absolute gate
_ROUNDS = 12
_BELOW_DB = 0.4  # how far under the true-peak limit the samples are kept: the wave between them rises above them
_FIRST_SLOPE = 0.8  # the limiter takes back about a fifth of each added decibel; then what it took is measured
_LEAST_SLOPE = 0.25
_NEAR_LU = 0.2
_CODEC_LOSS_LU = 0.2  # both encoders drop what lies above their low-pass: 0.2 to 0.5 LU of speech at these rates
_OGG_PAGE, _OGG_FLAGS, _OGG_LAST = b"OggS", 5, 0x04

Samples = NDArray[np.float32]


@dataclass(frozen=True)
class Loudness:
    """``integrated_lufs`` is None for silence and for less than 400 ms, which has no loudness."""

    integrated_lufs: float | None
    true_peak_db: float | None


class _Meter:
    """FFmpeg's ``ebur128`` over frames pushed one by one."""

    def __init__(self, rate: int, sample_format: str, *, peak: bool) -> None:
        self._graph = av.filter.Graph()
        self._source = self._graph.add_abuffer(
            sample_rate=rate, format=sample_format, layout="mono", time_base=Fraction(1, rate)
        )
        meter = self._graph.add("ebur128", "metadata=1:peak=true" if peak else "metadata=1")
        self._sink = self._graph.add("abuffersink")
        self._source.link_to(meter)
        meter.link_to(self._sink)
        self._graph.configure()
        self._last: dict[str, str] = {}

    def push(self, frame: Any) -> None:
        self._source.push(frame)
        self._drain()

    def _drain(self) -> None:
        while True:
            try:
                found = self._sink.pull().metadata
            except (av.BlockingIOError, av.EOFError):
                return
            self._last = found or self._last  # the padding at the end carries none

    def result(self) -> Loudness:
        self.push(None)
        integrated = float(self._last.get("lavfi.r128.I", "-70"))
        peak = float(self._last.get("lavfi.r128.true_peak", "0"))
        return Loudness(
            integrated if integrated > _SILENT_LUFS else None, float(20 * np.log10(peak)) if peak > 0 else None
        )


def _frames(samples: Samples, rate: int) -> Iterator[Any]:
    """One-second frames."""
    for start in range(0, samples.size, rate):
        part = np.ascontiguousarray(samples[start : start + rate]).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(part, format="flt", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
        yield frame


def loudness(samples: Samples, rate: int, *, peak: bool = True) -> Loudness:
    """Integrated loudness and true peak of mono float samples. Without ``peak`` it takes a quarter of the time."""
    meter = _Meter(rate, "flt", peak=peak)
    for frame in _frames(samples, rate):
        meter.push(frame)
    return meter.result()


def levelled(samples: Samples, rate: int, *, limits: AudioLimits) -> Samples:
    """Bring ``samples`` to the target loudness with the true peak under its ceiling.

    Raises:
        AudioRejected: silent, shorter than 400 ms, or of a kind (a click in silence) that cannot be both.
    """
    found = loudness(samples, rate, peak=False).integrated_lufs
    if found is None:
        raise AudioRejected("undecodable", "the speech is silent: nothing reaches -70 LUFS for 400 ms")
    target = limits.loudness_lufs + _CODEC_LOSS_LU
    gain_db, ceiling_db = target - found, limits.true_peak_db - _BELOW_DB
    best: tuple[float, Samples] | None = None
    before: tuple[float, float] | None = None  # gain and what came of it, in the round before
    for _ in range(_ROUNDS):
        candidate = limited(samples, rate, gain_db=gain_db, ceiling_db=ceiling_db)
        now = loudness(candidate, rate, peak=False).integrated_lufs
        if now is None:
            break
        off = target - now
        slope = _FIRST_SLOPE
        if before is not None and abs(gain_db - before[0]) > 0.01:
            slope = min(1.0, max(_LEAST_SLOPE, (now - before[1]) / (gain_db - before[0])))
        before = gain_db, now
        gain_db += off / slope
        if abs(off) > _NEAR_LU and best is None:
            continue
        over = (loudness(candidate, rate).true_peak_db or 0.0) - limits.true_peak_db
        if over > 0:
            ceiling_db -= over + _BELOW_DB
        if over <= 0 and (best is None or abs(off) < best[0]):
            best = abs(off), candidate
        if best is not None and best[0] <= _NEAR_LU:
            break
    if best is None or best[0] > limits.loudness_tolerance_lu:
        raise AudioRejected("undecodable", f"cannot be brought to {limits.loudness_lufs} LUFS under its peak limit")
    return best[1]


def _encoded(
    samples: Samples, rate: int, *, codec: str, container: str, bit_rate: int, options: dict[str, str]
) -> bytes:
    data = io.BytesIO()
    # Bit-exact: no encoder name or date in the file, so the same speech is the same bytes (rule AUD-4).
    with av.open(data, "w", format=container, container_options={"fflags": "+bitexact"}) as out:
        stream: Any = out.add_stream(codec, rate=rate, options=options)
        stream.layout, stream.bit_rate = "mono", bit_rate
        resampler = av.AudioResampler(format=stream.codec_context.format or "s16", layout="mono", rate=rate)
        for frame in (*_frames(samples, rate), None):
            for fitted in resampler.resample(frame) if frame is not None else (None,):
                out.mux(stream.encode(fitted))
    return data.getvalue()


def measure(data: bytes, *, container: str) -> Measured:
    """Decode ``data`` ("mp3" or "ogg") to its end and measure it.

    Raises:
        AudioRejected: it does not open, has no audio, a frame is damaged, or an Ogg stream stops before its last page.
    """
    if container == "ogg" and not _ogg_complete(data):
        raise AudioRejected("undecodable", "ogg: the stream breaks off before its last page")
    try:
        samples, rate, declared, found = _decode(data, container)
    except (av.FFmpegError, IndexError) as error:
        raise AudioRejected("undecodable", f"{container}: {error}") from error
    return Measured(
        container=container, bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), decoded_samples=samples,
        sample_rate_hz=rate, declared_s=declared, integrated_lufs=found.integrated_lufs,
        true_peak_db=found.true_peak_db,
    )  # fmt: skip


def _decode(data: bytes, container: str) -> tuple[int, int, Decimal | None, Loudness]:
    with av.open(io.BytesIO(data), "r", format=container) as file:
        stream = file.streams.audio[0]
        declared = None
        if stream.duration is not None and stream.time_base is not None:
            exact = stream.duration * stream.time_base
            declared = Decimal(exact.numerator) / Decimal(exact.denominator)
        meter: _Meter | None = None
        samples, rate = 0, stream.codec_context.sample_rate
        for frame in file.decode(stream):
            if frame.is_corrupt:
                raise AudioRejected("undecodable", f"{container}: a damaged frame after {samples} samples")
            meter = meter or _Meter(rate, frame.format.name, peak=True)
            frame.pts, frame.time_base = samples, Fraction(1, rate)
            samples += frame.samples
            meter.push(frame)
        return samples, rate, declared, meter.result() if meter else Loudness(None, None)


def _ogg_complete(data: bytes) -> bool:
    """Whether the last Ogg page says that it is the last."""
    last = data.rfind(_OGG_PAGE)
    return last >= 0 and len(data) > last + _OGG_FLAGS and bool(data[last + _OGG_FLAGS] & _OGG_LAST)


def waveform(samples: Samples) -> tuple[int, ...]:
    """64 levels, 0–100, the loudest being 100. RMS: after the limiter every slice has the same highest sample."""
    edges = np.linspace(0, samples.size, PEAKS + 1).astype(int)
    parts = [samples[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    levels = [float(np.sqrt(np.mean(np.square(part)))) if part.size else 0.0 for part in parts]
    top = max(levels) or 1.0
    return tuple(round(100 * level / top) for level in levels)


def _produce(samples: Samples, rate: int, container: str, limits: AudioLimits) -> tuple[bytes, Measured]:
    """Encode to one container, decode it again and compare with what went in."""
    if container == "mp3":
        data = _encoded(samples, rate, codec="libmp3lame", container="mp3", bit_rate=limits.mp3_bit_rate, options={})
    else:
        options = {"application": "audio", "vbr": "constrained", "frame_duration": "20"}
        data = _encoded(samples, rate, codec="libopus", container="ogg", bit_rate=limits.opus_bit_rate, options=options)
    measured = measure(data, container=container)
    # A file cut short decodes as a valid shorter one; only what went in can tell.
    lost_ms = abs(samples.size * 1000 / rate - measured.decoded_samples * 1000 / measured.sample_rate_hz)
    if lost_ms > limits.max_declared_drift_ms:
        raise AudioRejected("duration_mismatch", f"{container}: decoded differs from what went in by {lost_ms:.0f} ms")
    return data, measured


class PyAvCodec:
    """See the port."""

    def __init__(self) -> None:
        versions = av.library_versions
        self.identity = "pyav {} / libavcodec {} / level 1".format(
            av.__version__, ".".join(str(n) for n in versions["libavcodec"])
        )

    async def encode(self, pcm: bytes, *, sample_rate_hz: int, limits: AudioLimits) -> Encoded:
        return await asyncio.to_thread(_encode, pcm, sample_rate_hz, limits)


def _encode(pcm: bytes, rate: int, limits: AudioLimits) -> Encoded:
    samples = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768.0
    if not samples.size:
        raise AudioRejected("undecodable", "there is no speech")
    level = levelled(samples, rate, limits=limits)
    with ThreadPoolExecutor(2) as pool:
        mp3 = pool.submit(_produce, level, rate, "mp3", limits)
        ogg = pool.submit(_produce, level, rate, "ogg", limits)
        (mp3_bytes, mp3_measured), (ogg_bytes, ogg_measured) = mp3.result(), ogg.result()
    return Encoded(mp3_bytes, ogg_bytes, mp3_measured, ogg_measured, waveform(level))
