"""Embedder without a model: character bigrams hashed into a unit vector. Deterministic; no meaning beyond overlap."""

from __future__ import annotations

import zlib
from typing import Literal

import numpy as np
from numpy.typing import NDArray


class FakeEmbedder:
    """Counts every call in ``calls``. Texts that share bigrams are near, whatever their role."""

    dim = 384
    config = "fake-bigrams/384"

    def __init__(self) -> None:
        self.calls: list[tuple[tuple[str, ...], str]] = []

    async def embed(self, texts: tuple[str, ...], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        self.calls.append((texts, role))
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f" {text} "
            for a, b in zip(padded, padded[1:], strict=False):
                code = zlib.crc32((a + b).encode("utf-8", "replace"))
                row[code % self.dim] += 1.0 if code & 0x10000 else -1.0
            norm = float(np.linalg.norm(row))
            if norm == 0.0:  # every bigram cancelled out, or there was none
                row[0] = norm = 1.0
            row /= norm
        return rows
