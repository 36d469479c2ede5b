"""Audio assembly against plain ffmpeg commands doing the same work, alternating in one run.

``python -m eval.bench.audio [SECONDS] [ROUNDS]``. Both sides measure the speech, encode it to MP3 and to Ogg/Opus,
decode both to their end and measure them. Ours also normalises the loudness, which the commands do not. The input is
made here: bursts of shaped noise in the rhythm of speech, the same every time.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import imageio_ffmpeg
import numpy as np

from pipeline.domain.audio import AudioLimits
from pipeline.providers.media_pyav import PyAvCodec

RATE_HZ = 24_000


def speechlike(seconds: float, *, rate_hz: int = RATE_HZ, level: float = 0.1) -> bytes:
    """16-bit mono PCM: a buzz and noise under a syllable envelope, with a pause after each "sentence" of 4 s."""
    time_s = np.arange(round(seconds * rate_hz)) / rate_hz
    random = np.random.default_rng(7)
    pitch = 120 + 20 * np.sin(2 * np.pi * 0.3 * time_s)
    phase = 2 * np.pi * np.cumsum(pitch) / rate_hz
    buzz = sum(np.sin(n * phase) / n for n in range(1, 12))
    breath = np.convolve(random.standard_normal(time_s.size), np.ones(6) / 6, "same")
    syllables = np.clip(np.sin(2 * np.pi * 4.1 * time_s), 0, 1) ** 0.7
    sentence = (time_s % 4.4) < 4.0
    sound = (0.8 * buzz + 0.4 * breath) * syllables * sentence
    return bytes(np.round(np.clip(sound * level / np.sqrt(np.mean(sound**2)), -1, 1) * 32767).astype("<i2").tobytes())


def ours(pcm: bytes) -> float:
    """Seconds for the whole assembly."""
    start = time.perf_counter()
    asyncio.run(PyAvCodec().encode(pcm, sample_rate_hz=RATE_HZ, limits=AudioLimits()))
    return time.perf_counter() - start


def commands(pcm: bytes, folder: Path) -> float:
    """Seconds for five ffmpeg commands, one after the other."""
    raw = folder / "speech.raw"
    raw.write_bytes(pcm)
    source = ["-f", "s16le", "-ar", str(RATE_HZ), "-ac", "1", "-i", str(raw)]
    mp3, ogg, meter = str(folder / "a.mp3"), str(folder / "a.ogg"), ["-af", "ebur128=peak=true", "-f", "null", "-"]
    start = time.perf_counter()
    for rest in (
        [*source, *meter],
        [*source, "-c:a", "libmp3lame", "-b:a", "64k", mp3],
        [*source, "-c:a", "libopus", "-b:a", "24k", ogg],
        ["-i", mp3, *meter],
        ["-i", ogg, *meter],
    ):
        run = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-nostats", "-y", *rest]
        subprocess.run(run, check=True, capture_output=True)
    return time.perf_counter() - start


def compare(seconds: float, rounds: int) -> dict[str, object]:
    """Alternate both sides ``rounds`` times after one unmeasured turn of each; the medians and their ratio."""
    pcm = speechlike(seconds)
    with tempfile.TemporaryDirectory() as folder:
        ours(speechlike(5))
        commands(speechlike(5), Path(folder))
        pairs = [(ours(pcm), commands(pcm, Path(folder))) for _ in range(rounds)]
    mine, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return {
        "speech_s": seconds,
        "assembly_s": round(mine, 2),
        "ffmpeg_s": round(theirs, 2),
        "ratio": round(mine / theirs, 2),
        "ratios": [round(a / b, 2) for a, b in pairs],
        "limit": 1.5,
    }


def main(arguments: list[str]) -> int:
    seconds = float(arguments[0]) if arguments else 240.0
    rounds = int(arguments[1]) if len(arguments) > 1 else 3
    result = compare(seconds, rounds)
    print(json.dumps(result))
    return 0 if float(str(result["ratio"])) <= 1.5 else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
