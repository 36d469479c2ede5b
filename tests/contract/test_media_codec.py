"""The codec: level, two files, each decoded and measured (rules AUD-1, AUD-2, AUD-4)."""

from __future__ import annotations

import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest

from eval.bench.audio import RATE_HZ, speechlike
from pipeline.domain.audio import AudioLimits, admit
from pipeline.domain.errors import AudioRejected
from pipeline.providers.loudness import limited
from pipeline.providers.media_pyav import PEAKS, PyAvCodec, levelled, loudness, measure, waveform

LIMITS = AudioLimits()


def with_pauses() -> bytes:
    """Half of it is silence: the gate must not take the pauses for quiet speech."""
    part = speechlike(3)
    return part + bytes(len(part)) + part + bytes(len(part))


def clicks() -> bytes:
    """Quiet speech with three full-scale clicks: without a limiter no loudness is possible."""
    samples = np.frombuffer(speechlike(6, level=0.02), "<i2").copy()
    samples[[30_000, 60_000, 90_000]] = 32_767
    return samples.tobytes()


INPUTS = [
    ("speech", lambda: speechlike(8)),
    ("half silence", with_pauses),
    ("very quiet", lambda: speechlike(6, level=0.0005)),
    ("loud", lambda: speechlike(6, level=0.4)),
    ("clicks", clicks),
    ("one second", lambda: speechlike(1)),
    ("an odd number of samples", lambda: speechlike(2.00004)),
]


@pytest.mark.parametrize("make", [row[1] for row in INPUTS], ids=[row[0] for row in INPUTS])
async def test_both_files_are_level_whole_and_tell_their_duration(make) -> None:
    """AUD-1, AUD-2."""
    pcm = make()
    out = await PyAvCodec().encode(pcm, sample_rate_hz=RATE_HZ, limits=LIMITS)
    seconds = len(pcm) / 2 / RATE_HZ
    for data, found in ((out.mp3, out.mp3_measured), (out.ogg, out.ogg_measured)):
        assert found.bytes == len(data)
        assert abs(admit(found, limits=LIMITS) - seconds * 1000) <= LIMITS.max_declared_drift_ms
        assert found.integrated_lufs is not None
        assert abs(found.integrated_lufs - LIMITS.loudness_lufs) <= LIMITS.loudness_tolerance_lu
        assert found.true_peak_db is not None
        assert found.true_peak_db < -0.5  # -3 before encoding; a codec may overshoot, a player must not clip
        assert found == measure(data, container=found.container)
    assert len(out.peaks) == PEAKS
    assert max(out.peaks) == 100
    assert min(out.peaks) >= 0


async def test_a_voice_note_of_300_seconds_fits_in_a_mebibyte() -> None:
    """AUD-1: 300 s is the limit of AUD-2, and players show no waveform above 1 MiB."""
    out = await PyAvCodec().encode(speechlike(300), sample_rate_hz=RATE_HZ, limits=LIMITS)
    assert len(out.ogg) < LIMITS.max_voice_bytes
    assert admit(out.ogg_measured, limits=LIMITS) == 300_000
    assert admit(out.mp3_measured, limits=LIMITS) == 300_000
    assert abs(len(out.mp3) * 8 / 300 - LIMITS.mp3_bit_rate) < 500  # constant bit rate


async def test_the_mp3_has_an_info_header_and_the_same_speech_is_the_same_bytes() -> None:
    """A1: without the header players guess the length. AUD-4: the hash is the identity."""
    one = await PyAvCodec().encode(speechlike(2), sample_rate_hz=RATE_HZ, limits=LIMITS)
    two = await PyAvCodec().encode(speechlike(2), sample_rate_hz=RATE_HZ, limits=LIMITS)
    assert b"Info" in one.mp3[:200]
    assert (one.mp3, one.ogg) == (two.mp3, two.ogg)


@pytest.mark.parametrize("pcm", [b"", bytes(2 * RATE_HZ * 3), speechlike(0.3)], ids=["nothing", "silence", "0.3 s"])
async def test_silence_is_rejected(pcm: bytes) -> None:
    with pytest.raises(AudioRejected) as no:
        await PyAvCodec().encode(pcm, sample_rate_hz=RATE_HZ, limits=LIMITS)
    assert no.value.reason == "undecodable"


@pytest.mark.parametrize("container", ["mp3", "ogg"])
async def test_a_file_that_breaks_off_is_noticed(container: str) -> None:
    """AUD-2: an Ogg cut anywhere, even between two pages, decodes as a valid shorter file."""
    out = await PyAvCodec().encode(speechlike(20), sample_rate_hz=RATE_HZ, limits=LIMITS)
    data = out.mp3 if container == "mp3" else out.ogg
    page = data[: len(data) // 2].rfind(b"OggS") if container == "ogg" else len(data) // 2
    for cut in (0, 10, len(data) // 2, page):
        with pytest.raises(AudioRejected):
            admit(measure(data[:cut], container=container), limits=LIMITS)


@pytest.mark.parametrize("data", [b"not audio at all" * 100, b"OggS" + bytes(200)])
def test_what_is_no_audio_is_undecodable(data: bytes) -> None:
    for container in ("mp3", "ogg"):
        with pytest.raises(AudioRejected) as no:
            admit(measure(data, container=container), limits=LIMITS)
        assert no.value.reason == "undecodable"


@pytest.mark.parametrize("seconds", [1, 7])
def test_loudness_agrees_with_the_ffmpeg_command(seconds: int) -> None:
    pcm = speechlike(seconds)
    source = ["-f", "s16le", "-ar", str(RATE_HZ), "-ac", "1", "-i", "pipe:0"]
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", *source, "-af", "ebur128=peak=true", "-f", "null", "-"]
    said = subprocess.run(command, input=pcm, capture_output=True, check=True).stderr.decode()
    summary = said[said.index("Summary") :]
    found = loudness(np.frombuffer(pcm, "<i2").astype(np.float32) / 32768, RATE_HZ)
    assert found.integrated_lufs == pytest.approx(float(re.search(r"I:\s+(-?[\d.]+)", summary)[1]), abs=0.1)
    assert found.true_peak_db == pytest.approx(float(re.search(r"Peak:\s+(-?[\d.]+)", summary)[1]), abs=0.1)


def test_the_limiter_never_lets_a_sample_through_and_leaves_quiet_speech_alone() -> None:
    loud = np.frombuffer(clicks(), "<i2").astype(np.float32) / 32768
    out = limited(loud, RATE_HZ, gain_db=12.0, ceiling_db=-3.0)
    assert out.shape == loud.shape
    assert float(np.abs(out).max()) <= 10 ** (-3 / 20) * 1.0001
    far = slice(0, 20_000)  # more than 6 ms from any click
    np.testing.assert_allclose(out[far], loud[far] * np.float32(10 ** (12 / 20)), rtol=1e-4)


def test_the_waveform_shows_where_it_is_loud() -> None:
    samples = np.concatenate([np.full(3200, 0.1), np.full(3200, 0.4)]).astype(np.float32)
    assert waveform(samples) == (25,) * 32 + (100,) * 32
    assert len(waveform(samples[:10])) == PEAKS


@pytest.mark.parametrize("seed", range(4))
def test_quiet_speech_with_clipped_peaks_reaches_the_level_below_the_ceiling(seed):
    """AUD-1: a voice that clips now and then and is quiet on the whole; a real programme once found no way here."""
    random = np.random.default_rng(seed)
    rate, limits = 24_000, AudioLimits()
    time = np.arange(rate * 12) / rate
    syllables = (
        np.maximum(0.0, np.sin(2 * np.pi * 3.7 * time)) ** 0.5
        * (0.05 + 0.25 * random.random(time.size // rate + 1)).repeat(rate)[: time.size]
    )
    speech = syllables * np.sin(2 * np.pi * (140 + 30 * np.sin(2 * np.pi * 0.7 * time)).cumsum() / rate)
    for at in random.integers(0, time.size - 200, 400):
        speech[at : at + 72] *= 12.0
    samples = np.clip(speech, -1.0, 1.0).astype(np.float32)
    made = levelled(samples, rate, limits=limits)
    found = loudness(made, rate)
    assert found.integrated_lufs == pytest.approx(limits.loudness_lufs, abs=limits.loudness_tolerance_lu)
    assert found.true_peak_db <= limits.true_peak_db
