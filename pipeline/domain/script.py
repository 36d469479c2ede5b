"""Claims and the script they are spoken in (rules EVD-1, EVD-6, EVD-7).

The excerpt writer and, later, the model writer make the same ScriptDoc. Every sentence of kind FACT carries at least
one claim; every external claim carries at least one span that resolves. What Earmark says itself (opening,
connectives, "资料未说明") carries none and says nothing about the world.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pipeline.domain.evidence import Span


class ClaimKind(StrEnum):
    EXTERNAL_FACT = "external_fact"
    INFERENCE = "inference"
    TEACHING_EXAMPLE = "teaching_example"
    USER_CONTEXT = "user_context"


@dataclass(frozen=True)
class Claim:
    id: str  # "c01" ..., unique in the script
    text: str
    kind: ClaimKind
    critical: bool
    evidence: tuple[Span, ...]


class Role(StrEnum):
    OPENING = "opening"  # what this is: excerpts, from where, for which question
    CONNECTIVE = "connective"  # neutral words between two passages
    FACT = "fact"  # the source's own words, or a claim resting on them
    GAP = "gap"  # 资料未说明
    CLOSING = "closing"


@dataclass(frozen=True)
class Sentence:
    """One spoken unit, in order. ``index`` counts from 0 without holes."""

    index: int
    role: Role
    text: str  # as written; speech normalisation comes later and never changes this
    claim_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptDoc:
    """Immutable, stored as an artefact with its fingerprint."""

    question: str
    title: str  # of the source
    writer: str  # "excerpt 1", or the model's identity
    language: str  # of the spoken text: "zh" | "en"
    sentences: tuple[Sentence, ...]
    claims: tuple[Claim, ...]
    gaps: tuple[str, ...] = ()  # what the source does not say, in words for a person
    left_out: int = 0  # passages that fitted the question and did not fit the length


class DeclineReason(StrEnum):
    NOT_COVERED = "not_covered"  # nothing in the source answers this (rule EVD-7)
    OTHER_LANGUAGE = "other_language"  # rule SEC-6: excerpts go out as text, no audio


@dataclass(frozen=True)
class Declined:
    """No episode: a sentence in the chat instead. ``excerpts`` are shown as text under OTHER_LANGUAGE."""

    reason: DeclineReason
    question: str
    missing_terms: tuple[str, ...] = ()
    excerpts: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True)
class ScriptLimits:
    """Rule AUD-3's target 180–270 s at 4.5 characters a second, and the hard gate of 300 s well above it."""

    max_chars: int = 1_200
    min_speech_s: int = 15  # a shorter answer brings its surroundings, verbatim, until it reaches this
    chars_per_s: float = 4.5


def without(script: ScriptDoc, claim_ids: frozenset[str]) -> ScriptDoc:
    """``script`` without these claims and the sentences that rest on them; the others are numbered anew.

    A connective goes with the passage it leads to.
    """
    if not claim_ids:
        return script
    kept: list[Sentence] = []
    for sentence in script.sentences:
        if claim_ids & set(sentence.claim_ids):
            if kept and kept[-1].role is Role.CONNECTIVE:
                kept.pop()
            continue
        kept.append(sentence)
    return replace(
        script,
        sentences=tuple(replace(sentence, index=index) for index, sentence in enumerate(kept)),
        claims=tuple(claim for claim in script.claims if claim.id not in claim_ids),
        left_out=script.left_out + len(claim_ids),
    )


def shortened(script: ScriptDoc, *, drop_chars: int) -> ScriptDoc | None:
    """``script`` shorter by at least ``drop_chars``, by leaving out claims that are not critical, last first.

    None when only critical claims are left: their conditions are never cut for length (rule AUD-3).
    """
    lengths = {id: len(sentence.text) for sentence in script.sentences for id in sentence.claim_ids}
    dropped: set[str] = set()
    for claim in reversed(script.claims):
        if drop_chars <= 0:
            break
        if not claim.critical:
            dropped.add(claim.id)
            drop_chars -= lengths.get(claim.id, 0)
    return None if drop_chars > 0 else without(script, frozenset(dropped))
