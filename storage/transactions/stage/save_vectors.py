"""Add vectors to chunks. They are facts about immutable text: no fence, and the same twice is the same.

Locks: inserts chunk_embedding (parents: chunk, version); one source_version row by its compare-and-set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from storage.tx import Tx

INSERT = """
INSERT INTO chunk_embedding (chunk_id, config, version_id, embedding)
VALUES (:chunk, :config, :version, cast(:embedding AS halfvec)) ON CONFLICT (chunk_id, config) DO NOTHING
"""
DENSE = """
UPDATE source_version v SET index_state = 'DENSE'
 WHERE v.id = :version AND v.index_state = 'LEXICAL'
   AND NOT EXISTS (SELECT 1 FROM chunk c WHERE c.version_id = v.id AND NOT c.is_section
                      AND NOT EXISTS (SELECT 1 FROM chunk_embedding e WHERE e.chunk_id = c.id AND e.config = :config))
"""


async def save_vectors(
    tx: Tx, *, version_id: int, config: str, chunk_ids: Sequence[int], vectors: NDArray[np.float32]
) -> bool:
    """``vectors`` has one row per chunk id. True when the version became DENSE."""
    await tx.run_many(
        INSERT,
        [
            {"chunk": id, "config": config, "version": version_id, "embedding": HalfVector(vector).to_text()}
            for id, vector in zip(chunk_ids, vectors, strict=True)
        ],
    )
    return await tx.run(DENSE, version=version_id, config=config) == 1
