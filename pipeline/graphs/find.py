"""Question + version → evidence pack: both channels, then fusion and the budget (rules CHK-2, CHK-3, CHK-5)."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from pipeline.domain.evidence import EvidencePack, IndexedChunk, Passage
from pipeline.domain.run import Stage
from pipeline.domain.source import BlockKind
from pipeline.evidence.retrieve import pack
from pipeline.evidence.terms import query_terms
from pipeline.graphs.attempt import Attempt, Tools, fingerprint
from storage.queries.run.work import VersionView
from storage.queries.source.search import best_lexical, chunks_of, rankings, without_vectors
from storage.transactions.stage.save_artifact import find_artifact, save_evidence
from storage.transactions.stage.save_vectors import save_vectors
from storage.tx import transaction

RETRIEVAL = "rrf 1"


async def find(attempt: Attempt, view: VersionView, question: str) -> tuple[EvidencePack, str]:
    """Return the pack and its fingerprint; the committed pack if this question was put to this version before."""
    tools = attempt.tools
    mark = fingerprint(
        owner=view.owner_id,
        version=view.id,
        text=view.text_sha256,
        question=question,
        embedding=tools.embedder.config,
        retrieval=RETRIEVAL,
        limits=tools.limits.pack,
    )
    await attempt.enter(Stage.FIND)
    async with transaction(tools.engine) as tx:
        there = await find_artifact(tx, owner_id=view.owner_id, kind="evidence", fingerprint=mark)
    made = unpacked(there.content) if there else await _search(attempt, view, question)
    async with transaction(tools.engine) as tx:
        kept = await save_evidence(
            tx,
            run_id=attempt.run_id,
            fence=attempt.fence,
            version_id=view.id,
            fingerprint=mark,
            content=asdict(made),
            done={
                "passages": sum(1 for p in made.passages if p.rank) or len(made.passages),
                "sections": len({p.heading for p in made.passages if p.rank}),
                "whole_text": made.whole_text,
            },
        )
    tools.crash("find_committed")
    return unpacked(kept.content), mark


async def _search(attempt: Attempt, view: VersionView, question: str) -> EvidencePack:
    tools = attempt.tools
    terms = query_terms(question)
    scope = {"owner_id": view.owner_id, "version_id": view.id}
    lexical = await best_lexical(tools.engine, **scope, terms=terms, limit=tools.limits.embed_first)
    waiting = await without_vectors(tools.engine, version_id=view.id, config=tools.embedder.config, limit=100_000)
    if len(waiting) > tools.limits.embed_first:
        wanted = set(lexical)
        first = {id for id, _, _ in waiting[:8]}  # introduction: what an outline would say
        waiting = tuple(w for w in waiting if w[0] in wanted or w[0] in first)
    await _embed(attempt, view, waiting)
    vector = (await tools.embedder.embed((question,), role="query"))[0]
    limits = tools.limits.pack
    ranked = await rankings(
        tools.engine,
        **scope,
        terms=terms,
        vector=vector,
        config=tools.embedder.config,
        limit=limits.per_channel,
    )
    rows = await chunks_of(tools.engine, **scope)
    ids = {row["seq"]: row["id"] for row in rows}
    chunks = tuple(
        IndexedChunk(
            id=row["id"],
            version_id=row["version_id"],
            start=row["span_start"],
            end=row["span_end"],
            parent_id=None if row["parent_seq"] is None else ids[row["parent_seq"]],
            heading=row["heading"],
            page=row["page"],
            is_section=row["is_section"],
            kind=BlockKind(row["kind"]),
        )
        for row in rows
    )
    state = "LEXICAL" if len(waiting) < _children(chunks) and view.index_state != "DENSE" else "DENSE"
    return await asyncio.to_thread(
        lambda: pack(
            question,
            text=view.text,
            chunks=chunks,
            lexical=ranked.lexical,
            dense=ranked.dense,
            index_state=state,
            limits=limits,
        )
    )


async def _embed(attempt: Attempt, view: VersionView, waiting: tuple[tuple[int, int, int], ...]) -> None:
    batch = attempt.tools.limits.embed_batch
    for start in range(0, len(waiting), batch):
        if start:
            await attempt.progress(start, len(waiting))
        await embed_chunks(attempt.tools, view.id, view.text, waiting[start : start + batch])


async def embed_chunks(tools: Tools, version_id: int, text: str, chunks: tuple[tuple[int, int, int], ...]) -> bool:
    """Give ``(id, start, end)`` chunks their vectors. True when the version is DENSE now."""
    vectors = await tools.embedder.embed(tuple(text[start:end] for _, start, end in chunks), role="passage")
    async with transaction(tools.engine) as tx:
        return await save_vectors(
            tx,
            version_id=version_id,
            config=tools.embedder.config,
            chunk_ids=[id for id, _, _ in chunks],
            vectors=vectors,
        )


def _children(chunks: tuple[IndexedChunk, ...]) -> int:
    return sum(1 for chunk in chunks if not chunk.is_section)


def unpacked(content: dict[str, Any]) -> EvidencePack:
    """The pack of a stored artefact."""
    passages = tuple(Passage(**{**p, "kind": BlockKind(p["kind"])}) for p in content["passages"])
    return EvidencePack(
        **{
            **content,
            "passages": passages,
            "missing_terms": tuple(content["missing_terms"]),
            "terms": tuple(content["terms"]),
        }
    )
