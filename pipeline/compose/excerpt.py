"""The excerpt writer: answers a question in the source's own sentences, without a model, or declines (rule EVD-7).

Whole sentences, verbatim, in reading order; an opening that says what this is; neutral words where something was left
out; nothing twice. It makes the same ScriptDoc as a model writer. It never says that the source answers more than its
sentences do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pipeline.compose.candidates import Candidate, alike, candidates
from pipeline.compose.cohort import COHORT
from pipeline.compose.frames import CONNECTIVES, opening
from pipeline.compose.score import Scores, score
from pipeline.domain.evidence import EvidencePack, Span
from pipeline.domain.script import (
    Claim,
    ClaimKind,
    Declined,
    DeclineReason,
    Role,
    ScriptDoc,
    ScriptLimits,
    Sentence,
)
from pipeline.domain.words import is_summary
from pipeline.ports.embed import Embedder

WRITER = "excerpt 2"

# Of the best sentence's score: what is worth hearing beside it (development set: 92 of 100 answered; at 0.55, 86).
_KEEP = 0.4
_CRITICAL = 0.8
_MAX_CRITICAL = 5
_ANNOUNCED = 5  # sentences that a colon brings: a list of three points is often said in five
_DIRECT_CHARS = 600  # an answer to one question; a summary may fill the script
_SHOWN_EXCERPTS = 3
_NEAREST_STRANGERS = 4  # of the cohort; one alone may happen to be near
_GAP_NATS = 10.0  # a missing word rarer than this is a topic; commoner ones are ways of asking
_LEANS_BACK = re.compile(
    "^(?:这|那|此|该|其|它|他|她|但|而|却|不过|然而|因此|所以|于是|同时|另外|此外|并且|也|又|則|则|這|個|牠|與此|与此"
    "|However|But|This|That|These|It |They )"
)
_LEADS_ON = re.compile("[：:]$")
_HAN = re.compile("[\u3400-\u9fff]")
_KANA_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LETTERS = re.compile(r"[^\W\d_]")
_SAMPLE_CHARS = 20_000


def spoken_language(text: str) -> str:
    """Return "zh" when at least three letters in ten are Han and kana and hangul are rare, "en" for Latin, else ""."""
    sample = text[:_SAMPLE_CHARS]
    letters = len(_LETTERS.findall(sample)) or 1
    if len(_KANA_HANGUL.findall(sample)) > 0.1 * letters:
        return ""
    if len(_HAN.findall(sample)) >= 0.3 * letters:
        return "zh"
    return "en" if len(re.findall("[A-Za-z]", sample)) > 0.9 * letters else ""


async def write(
    question: str,
    pack: EvidencePack,
    *,
    title: str,
    text: str,
    embedder: Embedder | None,
    language: str,
    limits: ScriptLimits,
) -> ScriptDoc | Declined:
    """Return the script, or why there is none.

    Args:
        text: canonical text of the one version that ``pack`` is about.
        embedder: None while there are no vectors: words alone then decide, with a stricter bar.
        language: of the speech, "zh" or "en"; a source in another one is OTHER_LANGUAGE (rule SEC-6).

    Raises:
        ChildDied: the embedding model died; the step may be repeated.
    """
    found = candidates(pack, text)
    summary = is_summary(question) or not pack.terms
    if not found:
        return Declined(DeclineReason.NOT_COVERED, question, pack.missing_terms)
    cosines, strange = await _cosines(question, found, embedder, summary=summary)
    scores = score(replace(pack, question=question), found, title=title, cosines=cosines, strange=strange)
    if spoken_language(text) != language:
        return Declined(DeclineReason.OTHER_LANGUAGE, question, excerpts=_shown(found, scores, summary=summary))
    if not (summary or scores.supported):
        return Declined(DeclineReason.NOT_COVERED, question, pack.missing_terms)
    frame = opening(question, title, language=language, summary=summary)
    room = _Room(limits.max_chars - len(frame), max(map(len, CONNECTIVES[language])))
    if summary:
        chosen, left_out = _summary(found, scores, room, title)
    else:
        chosen, left_out = _direct(found, scores, room, title)
    _lengthen(found, chosen, room, title, least=round(limits.min_speech_s * limits.chars_per_s))
    rarity = dict(pack.terms)
    gaps = tuple(w for w in pack.missing_terms if len(w) > 1 and rarity.get(w, 0.0) >= _GAP_NATS and not summary)
    return _script(question, title, language, frame, [found[i] for i in sorted(chosen)], scores, gaps, left_out)


async def _cosines(
    question: str, found: Sequence[Candidate], embedder: Embedder | None, *, summary: bool
) -> tuple[NDArray[np.float32] | None, float]:
    """Nearness of each sentence to the question (for a summary, to the middle of all sentences), and a stranger's."""
    if embedder is None:
        return None, 0.0
    said = tuple(c.text for c in found)
    if summary:
        vectors = await embedder.embed(said, role="passage")
        middle = vectors.mean(axis=0)
        near: NDArray[np.float32] = vectors @ (middle / max(float(np.linalg.norm(middle)), 1e-9))
        return near, 0.0
    vectors = await embedder.embed((*said, *COHORT), role="passage")
    asked = (await embedder.embed((question,), role="query"))[0]
    near = vectors @ asked
    return near[: len(said)], float(np.sort(near[len(said) :])[-_NEAREST_STRANGERS:].mean())


def _shown(found: Sequence[Candidate], scores: Scores, *, summary: bool) -> tuple[tuple[str, Span], ...]:
    order = range(len(found)) if summary else sorted(range(len(found)), key=lambda i: -scores.total[i])
    best = sorted([i for i in order if not found[i].is_heading][:_SHOWN_EXCERPTS])
    return tuple((found[i].text, _span(found[i])) for i in best)


@dataclass
class _Room:
    """Characters still free; every sentence is charged a connective, so that frames never push a script over."""

    left: int
    connective: int

    def take(self, chars: int) -> bool:
        if chars + self.connective > self.left:
            return False
        self.left -= chars + self.connective
        return True


def _fits(found: Sequence[Candidate], chosen: set[int], at: int, room: _Room, title: str) -> bool:
    """Add sentence ``at`` unless it is there, says the same as one that is (or as the title), or does not fit."""
    if not 0 <= at < len(found) or at in chosen:
        return False
    said = found[at].text
    if any(alike(said, found[i].text) for i in chosen) or (found[at].is_heading and alike(said, title)):
        return False
    if not room.take(len(said)):
        return False
    chosen.add(at)
    return True


def _direct(found: Sequence[Candidate], scores: Scores, room: _Room, title: str) -> tuple[set[int], int]:
    """The best sentences and what they lean on; how many good ones did not fit."""
    order = sorted((i for i, c in enumerate(found) if not c.is_heading), key=lambda i: (-scores.total[i], i))
    order = order or list(range(len(found)))
    good = [i for i in order if scores.total[i] >= _KEEP * scores.total[order[0]]]
    chosen: set[int] = set()
    left_out = 0
    for i in good:
        full = sum(len(found[j].text) for j in chosen) >= _DIRECT_CHARS
        if not full and _fits(found, chosen, i, room, title):
            _bring_context(found, chosen, i, room, title)
        elif i not in chosen and not any(alike(found[i].text, found[j].text) for j in chosen):
            left_out += 1
    return chosen, left_out


def _bring_context(found: Sequence[Candidate], chosen: set[int], at: int, room: _Room, title: str) -> None:
    """A sentence that leans back brings the one before; one that ends in a colon brings what it announces."""
    leans = _LEANS_BACK.match(found[at].text) and at > 0 and found[at - 1].section == found[at].section
    if leans and not (found[at - 1].is_heading or found[at - 1].is_label):  # a heading explains no "this"
        _fits(found, chosen, at - 1, room, title)
    if _LEADS_ON.search(found[at].text):
        for following in range(at + 1, min(at + 1 + _ANNOUNCED, len(found))):
            if found[following].section == found[at].section:
                _fits(found, chosen, following, room, title)


def _summary(found: Sequence[Candidate], scores: Scores, room: _Room, title: str) -> tuple[set[int], int]:
    """Lead, then each section's heading with its first sentence (evenly spaced if many), then the most central ones."""
    body = [i for i, c in enumerate(found) if not (c.is_heading or c.is_label)]
    body = body or [i for i, c in enumerate(found) if not c.is_heading]
    sections: dict[str, list[int]] = {}
    for i in body:
        sections.setdefault(found[i].section, []).append(i)
    openings = [its[0] for its in sections.values()]
    per_section = max(1, sum(len(found[i].text) for i in openings) // max(1, room.left * 2 // 3) + 1)
    chosen: set[int] = set()
    for i in body[:2]:
        _fits(found, chosen, i, room, title)
    for i in openings[::per_section] if per_section > 1 else openings:
        if _fits(found, chosen, i, room, title) and i > 0 and found[i - 1].is_heading:
            _fits(found, chosen, i - 1, room, title)
    wanted = min(_DIRECT_CHARS, room.left // 2)
    for i in sorted(body, key=lambda i: (-scores.total[i], i)):
        if wanted <= 0:
            break
        if _fits(found, chosen, i, room, title):
            wanted -= len(found[i].text)
    return chosen or {0}, sum(1 for i in openings if i not in chosen)


def _lengthen(found: Sequence[Candidate], chosen: set[int], room: _Room, title: str, *, least: int) -> None:
    """Bring neighbours, nearest first and the following one before the preceding, until the sound is long enough."""
    distance = 1
    while sum(len(found[i].text) for i in chosen) < least and distance < len(found):
        for at in sorted(chosen):
            for near in (at + distance, at - distance):
                if sum(len(found[i].text) for i in chosen) < least:
                    _fits(found, chosen, near, room, title)
        distance += 1


def _span(candidate: Candidate) -> Span:
    return Span(candidate.version_id, candidate.chunk_id, candidate.start, candidate.end)


def _script(
    question: str,
    title: str,
    language: str,
    frame: str,
    chosen: Sequence[Candidate],
    scores: Scores,
    gaps: tuple[str, ...],
    left_out: int,
) -> ScriptDoc:
    best = max(scores.total[c.order] for c in chosen)
    ranked = sorted(chosen, key=lambda c: -scores.total[c.order])[:_MAX_CRITICAL]
    critical = {c.order for c in ranked if scores.total[c.order] >= _CRITICAL * best}
    spoken: list[Sentence] = [Sentence(0, Role.OPENING, frame)]
    claims: list[Claim] = []
    connectives = iter(CONNECTIVES[language])
    before: Candidate | None = None
    for number, candidate in enumerate(chosen, start=1):
        skipped = before is not None and candidate.order > before.order + 1 and not candidate.is_heading
        if skipped and (words := next(connectives, None)):
            spoken.append(Sentence(len(spoken), Role.CONNECTIVE, words))
        claim = Claim(
            f"c{number:02d}", candidate.text, ClaimKind.EXTERNAL_FACT, candidate.order in critical, (_span(candidate),)
        )
        claims.append(claim)
        spoken.append(Sentence(len(spoken), Role.FACT, candidate.text, (claim.id,)))
        before = candidate
    return ScriptDoc(question, title, WRITER, language, tuple(spoken), tuple(claims), gaps, left_out)
