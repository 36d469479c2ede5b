"""A second of a tone in the containers that matter to a messenger."""

from __future__ import annotations

import io
from functools import cache

import av
import numpy as np

_RATE_HZ = 48_000
_FORMS = {"ogg": ("ogg", "libopus"), "mp3": ("mp3", "libmp3lame"), "m4a": ("ipod", "aac"), "wav": ("wav", "pcm_s16le")}


@cache
def sound(form: str) -> bytes:
    """Return real bytes of ``ogg`` (Opus), ``mp3``, ``m4a`` (AAC) or ``wav``."""
    container_name, codec = _FORMS[form]
    time = np.arange(_RATE_HZ) / _RATE_HZ
    tone = (np.sin(2 * np.pi * 440 * time) * 8000).astype(np.int16)
    out = io.BytesIO()
    with av.open(out, "w", format=container_name) as container:
        stream = container.add_stream(codec, rate=_RATE_HZ, layout="mono")
        frame = av.AudioFrame.from_ndarray(tone.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = _RATE_HZ
        resampler = av.AudioResampler(stream.format, "mono", _RATE_HZ, frame_size=stream.frame_size or 960)
        for part in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return out.getvalue()
