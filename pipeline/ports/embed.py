"""What retrieval needs from an embedding model."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Vectors are float32, unit length, ``dim`` wide; one row per text, in order."""

    config: str  # model, version, quantisation: the name under which vectors are stored and compared
    dim: int

    async def embed(self, texts: tuple[str, ...], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        """Embed ``texts``; long ones are cut at the model's window by the adapter.

        Raises:
            ChildDied: the local model host died; may be repeated.
        """
        ...
