"""Rankings → one evidence pack within its budget (rules CHK-3, CHK-5). What was found is SQL's; this only fuses it."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.evidence import EvidencePack, IndexedChunk, PackLimits, Passage, count_tokens
from pipeline.domain.source import BlockKind
from pipeline.domain.words import is_summary
from pipeline.evidence.terms import folded, weighted_words


def rrf(rankings: Sequence[Sequence[int]], *, k: int = 60) -> list[int]:
    """Fuse rankings (best first) by reciprocal rank, counted from 1; ties go to the smaller id."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + rank)
    return sorted(scores, key=lambda item: (-scores[item], item))


def pack(
    question: str,
    *,
    text: str,
    chunks: Sequence[IndexedChunk],
    lexical: Sequence[int],
    dense: Sequence[tuple[int, float]],
    index_state: str,
    limits: PackLimits,
) -> EvidencePack:
    """Return the passages a writer may use, in reading order.

    A text within the budget is given whole. Otherwise the best chunks of both rankings, then their sections, then
    their neighbours, as long as tokens last; text that two passages share counts once.

    Args:
        chunks: every chunk of the one version, in order of position.
        lexical: chunk ids, best first.
        dense: (chunk id, cosine), best first.
    """
    children = sorted((c for c in chunks if not c.is_section), key=lambda c: (c.start, c.end))
    by_id = {c.id: c for c in children}
    lexical = [i for i in lexical if i in by_id][: limits.per_channel]
    dense = [(i, cosine) for i, cosine in dense if i in by_id][: limits.per_channel]
    best = rrf([lexical, [i for i, _ in dense]], k=limits.rrf_k)[: limits.fused]
    whole = count_tokens(text) <= limits.max_tokens
    if whole:
        chosen = {c.id for c in children}
    elif is_summary(question):
        chosen = _sample(text, children, limits)
    else:
        chosen = _surrounded(text, children, best, limits)
    ranks = {chunk_id: rank for rank, chunk_id in enumerate(best, start=1)}
    lexical_ranks = {chunk_id: rank for rank, chunk_id in enumerate(lexical, start=1)}
    dense_ranks = {chunk_id: (rank, cosine) for rank, (chunk_id, cosine) in enumerate(dense, start=1)}
    passages = tuple(
        Passage(
            chunk_id=c.id,
            source_version_id=c.version_id,
            start=c.start,
            end=c.end,
            text=text[c.start : c.end],
            heading=c.heading,
            page=c.page,
            rank=ranks.get(c.id, 0),
            lexical_rank=lexical_ranks.get(c.id),
            dense_rank=dense_ranks[c.id][0] if c.id in dense_ranks else None,
            similarity=dense_ranks[c.id][1] if c.id in dense_ranks else None,
            kind=c.kind,
        )
        for c in children
        if c.id in chosen
    )
    known, terms = folded(text), weighted_words(question)
    return EvidencePack(
        question=question,
        passages=passages,
        tokens=count_tokens(text) if whole else _tokens(text, [(p.start, p.end) for p in passages]),
        whole_text=whole,
        total_chars=len(text),
        index_state=index_state,
        missing_terms=tuple(word for word, _ in terms if word not in known),
        terms=terms,
    )


def _tokens(text: str, ranges: list[tuple[int, int]]) -> int:
    """Tokens of the union of ascending ranges."""
    total = at = 0
    for start, end in ranges:
        total += count_tokens(text[max(start, at) : end]) if end > at else 0
        at = max(at, end)
    return total


def _surrounded(text: str, children: list[IndexedChunk], best: list[int], limits: PackLimits) -> set[int]:
    """The best chunks, then around each in turn: its section's chunks, nearest first, then its two neighbours."""
    position = {c.id: i for i, c in enumerate(children)}
    sizes = [count_tokens(text[c.start : c.end]) for c in children]
    chosen: set[int] = set()
    left = limits.max_tokens

    def take(index: int) -> None:
        nonlocal left
        if 0 <= index < len(children) and children[index].id not in chosen and sizes[index] <= left:
            chosen.add(children[index].id)
            left -= sizes[index]

    for chunk_id in best:
        take(position[chunk_id])
    for chunk_id in best:
        centre = position[chunk_id]
        parent = children[centre].parent_id
        family = [i for i, c in enumerate(children) if c.parent_id == parent and c.kind is not BlockKind.CODE]
        for index in [*sorted(family, key=lambda i: abs(i - centre)), centre - 1, centre + 1]:
            take(index)
    return chosen


def _sample(text: str, children: list[IndexedChunk], limits: PackLimits) -> set[int]:
    """For a question about the whole of a long text: its opening, its end, and each section's opening (rule CHK-5).

    When there are more sections than tokens, evenly spaced ones.
    """
    openings = [c for i, c in enumerate(children) if i == 0 or c.parent_id != children[i - 1].parent_id]
    openings = [c for c in openings if c.kind is not BlockKind.CODE]
    order = [*children[:2], *children[-1:]]
    stride = max(1, sum(count_tokens(text[c.start : c.end]) for c in openings) // max(1, limits.max_tokens * 3 // 4))
    order += openings[::stride] + openings
    chosen: set[int] = set()
    left = limits.max_tokens
    for chunk in order:
        size = count_tokens(text[chunk.start : chunk.end])
        if chunk.id not in chosen and size <= left:
            chosen.add(chunk.id)
            left -= size
    return chosen
