"""Scoped search: filter by owner, version and embedding configuration first, then rank (rules CHK-2, CHK-3).

The lexical channel is PostgreSQL's ``ts_rank_cd`` over OR-joined terms; it is not BM25. The dense channel is an exact
scan by cosine distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import Row, Tx, snapshot

CHUNKS = """
SELECT id, version_id, seq, parent_seq, kind, is_section, heading, page, span_start, span_end
  FROM chunk WHERE version_id = :version AND owner_id = :owner ORDER BY seq
"""
# Terms arrive cleaned of quotes and backslashes, so quote_literal never needs the E'' form that tsquery refuses.
LEXICAL = """
SELECT c.id FROM chunk c,
       (SELECT string_agg(quote_literal(t), ' | ')::tsquery AS q FROM unnest(cast(:terms AS text[])) t) query
 WHERE c.version_id = :version AND c.owner_id = :owner AND NOT c.is_section AND c.tsv @@ query.q
 ORDER BY ts_rank_cd(c.tsv, query.q) DESC, c.id LIMIT :limit
"""
DENSE = """
SELECT e.chunk_id, 1 - (e.embedding <=> cast(:vector AS halfvec)) AS similarity
  FROM chunk_embedding e JOIN chunk c ON c.id = e.chunk_id
 WHERE e.version_id = :version AND e.config = :config AND c.owner_id = :owner
 ORDER BY e.embedding <=> cast(:vector AS halfvec), e.chunk_id LIMIT :limit
"""
MISSING = """
SELECT c.id, c.span_start, c.span_end FROM chunk c
 WHERE c.version_id = :version AND NOT c.is_section
   AND NOT EXISTS (SELECT 1 FROM chunk_embedding e WHERE e.chunk_id = c.id AND e.config = :config)
 ORDER BY c.seq LIMIT :limit
"""
UNFINISHED = "SELECT id FROM source_version WHERE index_state = 'LEXICAL' ORDER BY id LIMIT 1"


@dataclass(frozen=True)
class Rankings:
    """Best first; chunk ids, and for the dense channel the cosine similarity."""

    lexical: tuple[int, ...]
    dense: tuple[tuple[int, float], ...]


async def chunks_of(engine: AsyncEngine, *, version_id: int, owner_id: int) -> Sequence[Row]:
    async with snapshot(engine) as tx:
        return await tx.rows(CHUNKS, version=version_id, owner=owner_id)


async def rankings(
    engine: AsyncEngine,
    *,
    owner_id: int,
    version_id: int,
    terms: Sequence[str],
    vector: NDArray[np.float32] | None,
    config: str,
    limit: int,
) -> Rankings:
    """Both channels from one consistent read. ``vector`` None: no dense channel."""
    async with snapshot(engine) as tx:
        lexical = await _lexical(tx, owner_id=owner_id, version_id=version_id, terms=terms, limit=limit)
        dense: Sequence[Row] = ()
        if vector is not None:
            dense = await tx.rows(
                DENSE,
                version=version_id,
                owner=owner_id,
                config=config,
                vector=HalfVector(vector).to_text(),
                limit=limit,
            )
    return Rankings(lexical, tuple((row["chunk_id"], float(row["similarity"])) for row in dense))


def searchable(terms: Sequence[str]) -> list[str]:
    """Terms as LEXICAL can take them; those of which nothing is left are gone."""
    return [t for t in ("".join(c for c in term if c not in "'\\") for term in terms) if t.strip()]


async def _lexical(tx: Tx, *, owner_id: int, version_id: int, terms: Sequence[str], limit: int) -> tuple[int, ...]:
    clean = searchable(terms)
    if not clean:
        return ()
    rows = await tx.rows(LEXICAL, version=version_id, owner=owner_id, terms=clean, limit=limit)
    return tuple(row["id"] for row in rows)


async def best_lexical(
    engine: AsyncEngine, *, owner_id: int, version_id: int, terms: Sequence[str], limit: int
) -> tuple[int, ...]:
    async with snapshot(engine) as tx:
        return await _lexical(tx, owner_id=owner_id, version_id=version_id, terms=terms, limit=limit)


async def without_vectors(
    engine: AsyncEngine, *, version_id: int, config: str, limit: int
) -> tuple[tuple[int, int, int], ...]:
    """``(chunk id, start, end)`` of children that have no vector of this configuration, in reading order."""
    async with snapshot(engine) as tx:
        rows = await tx.rows(MISSING, version=version_id, config=config, limit=limit)
    return tuple((row["id"], row["span_start"], row["span_end"]) for row in rows)


async def unfinished_version(engine: AsyncEngine) -> int | None:
    """A version whose vectors are not complete; the background indexer goes on with it."""
    async with snapshot(engine) as tx:
        row = await tx.row(UNFINISHED)
    return None if row is None else int(row["id"])
