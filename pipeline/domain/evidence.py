"""Chunks, spans and the evidence pack: what a writer may look at, and nothing else (rules CHK, EVD-6)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.domain.source import BlockKind

_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]+")


@dataclass(frozen=True)
class Span:
    """Code points of the stored canonical text of one version, half-open (rule EVD-1)."""

    source_version_id: int
    chunk_id: int
    span_start: int
    span_end: int


@dataclass(frozen=True)
class ChunkDraft:
    """One piece of a version before it has a row.

    ``parent`` is the index (in the same list) of the section this child belongs to, None for a section. Sections
    come before their children. ``heading`` is the path of titles that lead here, joined by " › ".
    """

    kind: BlockKind
    start: int
    end: int
    parent: int | None
    heading: str
    page: int | None
    is_section: bool = False


@dataclass(frozen=True)
class IndexedChunk:
    """One chunk row as retrieval needs it: where it is, not what it says. ``parent_id`` is the id of its section."""

    id: int
    version_id: int
    start: int
    end: int
    parent_id: int | None
    heading: str
    page: int | None
    is_section: bool
    kind: BlockKind = BlockKind.PARAGRAPH


@dataclass(frozen=True)
class Passage:
    """One retrieved chunk as the writer sees it."""

    chunk_id: int
    source_version_id: int
    start: int
    end: int
    text: str  # == version.text[start:end]
    heading: str
    page: int | None
    rank: int  # 1 = best after fusion; 0 = brought in as surroundings
    lexical_rank: int | None = None
    dense_rank: int | None = None
    similarity: float | None = None  # cosine with the question, None when there is no vector yet
    kind: BlockKind = BlockKind.PARAGRAPH  # code is not read aloud


@dataclass(frozen=True)
class EvidencePack:
    """Immutable, stored as an artefact. Passages are in reading order; ``tokens`` counts as in CHK-3."""

    question: str
    passages: tuple[Passage, ...]
    tokens: int
    whole_text: bool  # the text fitted the budget and is here complete (rule CHK-5)
    total_chars: int  # of the version: what was left out can be said
    index_state: str  # at retrieval time; LEXICAL means the dense channel saw only the best lexical chunks
    missing_terms: tuple[str, ...] = ()  # terms of the question that occur nowhere in the version
    terms: tuple[
        tuple[str, float], ...
    ] = ()  # content words of the question, as searched for, and their rarity in nats


@dataclass(frozen=True)
class PackLimits:
    """Rule CHK-3."""

    per_channel: int = 12
    fused: int = 8
    rrf_k: int = 60
    max_tokens: int = 6_000


def count_tokens(text: str) -> int:
    """One per Han character, one per four others, rounded up (rule CHK-3)."""
    han = sum(map(len, _HAN.findall(text)))
    return han + -(-(len(text) - han) // 4)
