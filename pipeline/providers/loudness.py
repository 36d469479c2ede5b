"""A look-ahead limiter: gain for loudness without letting peaks through."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_BLOCK_S = 0.001
_LOOK_BLOCKS = 6  # ms the gain takes to fall before a peak, and to rise after it

Samples = NDArray[np.float32]


def limited(samples: Samples, rate: int, *, gain_db: float, ceiling_db: float) -> Samples:
    """``samples`` times ``gain_db``, with every sample under ``ceiling_db`` (of full scale).

    The gain is found per millisecond, held low over 6 ms on both sides of a peak and averaged over the same width, so
    it never jumps and never lies above what a sample needs.
    """
    loud = samples * np.float32(10 ** (gain_db / 20))
    ceiling = np.float32(10 ** (ceiling_db / 20))
    block = max(1, round(rate * _BLOCK_S))
    padded = np.zeros(-(-loud.size // block) * block, np.float32)
    padded[: loud.size] = np.abs(loud)
    tops = padded.reshape(-1, block).max(axis=1)
    need = np.minimum(1.0, ceiling / np.maximum(tops, ceiling * 1e-6)).astype(np.float32)
    if float(need.min()) >= 1.0:
        return loud
    width = 2 * _LOOK_BLOCKS + 1
    held = sliding_window_view(np.pad(need, _LOOK_BLOCKS, mode="edge"), width).min(axis=1)
    smooth = np.convolve(np.pad(held, _LOOK_BLOCKS, mode="edge"), np.full(width, 1 / width, np.float32), "valid")
    # At the border of two blocks the lower gain of the two, and a straight line from border to border.
    borders = np.minimum(np.pad(smooth, (1, 0), mode="edge"), np.pad(smooth, (0, 1), mode="edge")).astype(np.float32)
    ramp = (np.arange(block, dtype=np.float32) + 0.5) / block
    gain = borders[:-1, None] * (1 - ramp) + borders[1:, None] * ramp
    return np.asarray(loud * gain.ravel()[: loud.size], np.float32)
