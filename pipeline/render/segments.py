"""A script cut into synthesis calls, and the checks that nothing was left out or cut short (rules TTS-3, TTS-4)."""

from __future__ import annotations

import hashlib
import re

from pipeline.domain.audio import AudioLimits, SpokenSegment
from pipeline.domain.errors import AudioRejected
from pipeline.domain.script import ScriptDoc
from pipeline.domain.spoken import ANCHOR, END, beats
from pipeline.ports.tts import Speech
from pipeline.render.speech_text import Lexicon, normalise

Piece = tuple[int, str]

# A shorter text is judged as if it had this many beats: the fall of the voice at its end outweighs its beats.
_JUDGED_FROM = 8
_STRONG, _WEAK = re.compile("[。！？；!?;：:…]”?"), re.compile("[，、,]")


def segments(script: ScriptDoc, *, lexicon: Lexicon, limits: AudioLimits) -> tuple[SpokenSegment, ...]:
    """Cut the spoken text of every sentence into calls of at most ``limits.max_segment_chars``, in order.

    Whole sentences are packed together while they fit. A longer one is cut at its own marks, then hard, and shares
    its calls with no other. A sentence that is silent keeps its place as an empty piece.
    """
    out: list[SpokenSegment] = []
    held: list[Piece] = []

    def close() -> None:
        if held:
            out.append(_segment(len(out), tuple(held)))
            held.clear()

    for sentence in script.sentences:
        spoken = normalise(sentence.text, lexicon=lexicon)
        parts = split(spoken, limits.max_segment_chars)
        if len(parts) > 1 or sum(len(text) for _, text in held) + len(spoken) > limits.max_segment_chars:
            close()
        for part in parts:
            held.append((sentence.index, part))
            if len(parts) > 1:
                close()
    close()
    return tuple(out)


def _segment(index: int, pieces: tuple[Piece, ...]) -> SpokenSegment:
    text = "".join(part for _, part in pieces)
    return SpokenSegment(
        index=index, first=pieces[0][0], last=pieces[-1][0], text=text, text_sha256=_sha256(text), pieces=pieces
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def split(spoken: str, limit: int) -> tuple[str, ...]:
    """Parts of at most ``limit`` code points whose join is ``spoken``; one empty part for an empty text."""
    parts: list[str] = []
    rest = spoken
    while len(rest) > limit:
        cut = _cut(rest, limit)
        parts.append(rest[:cut])
        rest = rest[cut:]
    return (*parts, rest) if rest or not parts else tuple(parts)


def _cut(text: str, limit: int) -> int:
    """Where to cut: after the last strong mark, else the last comma, else hard; never inside a pinned reading."""
    window = text[:limit]
    for marks in (_STRONG, _WEAK):
        ends = [found.end() for found in marks.finditer(window)]
        if ends and ends[-1] > limit // 3:
            return ends[-1]
    opened = window.rfind(ANCHOR)
    if opened > 0 and END not in window[opened:]:
        return opened
    return limit


def covered(made: tuple[SpokenSegment, ...], script: ScriptDoc, *, lexicon: Lexicon) -> None:
    """Check that ``made`` says every sentence of ``script`` once, in order, and nothing else.

    Raises:
        AudioRejected: ``coverage``, with the first segment or sentence that is wrong.
    """
    said: dict[int, str] = {}
    order: list[int] = []
    for position, segment in enumerate(made):
        if not _whole(segment, position):
            raise AudioRejected("coverage", f"segment {position} does not agree with its own pieces or hash")
        for index, part in segment.pieces:
            if not order or order[-1] != index:
                order.append(index)
            said[index] = said.get(index, "") + part
    expected = [sentence.index for sentence in script.sentences]
    if order != expected:
        first = next((i for i, (a, b) in enumerate(zip(order, expected, strict=False)) if a != b), len(order))
        raise AudioRejected("coverage", f"sentences differ from position {first}: {len(order)} of {len(expected)}")
    for sentence in script.sentences:
        if said[sentence.index] != normalise(sentence.text, lexicon=lexicon):
            raise AudioRejected("coverage", f"sentence {sentence.index} is not said as it should be")


def _whole(segment: SpokenSegment, position: int) -> bool:
    return (
        segment.index == position
        and bool(segment.pieces)
        and (segment.first, segment.last) == (segment.pieces[0][0], segment.pieces[-1][0])
        and segment.text == "".join(part for _, part in segment.pieces)
        and segment.text_sha256 == _sha256(segment.text)
    )


def plausible(segment: SpokenSegment, speech: Speech, *, limits: AudioLimits) -> None:
    """Check that ``speech`` is as long as its text lets one expect: a swallowed or endless reading is not published.

    Seconds per beat (pipeline/domain/spoken.py) must lie within the limits, for the whole segment and, where the
    synthesiser tells their ends, for each piece of at least eight beats. Less than eight beats may take as long as
    eight, because the fall of the voice and the margins then outweigh them; they may not be hurried either.

    Raises:
        AudioRejected: ``suspect_segment``.
    """
    total = len(speech.pcm) // 2
    _paced(f"segment {segment.index}", segment.text, total / speech.sample_rate_hz, limits)
    if not speech.piece_ends:
        return
    if len(speech.piece_ends) != len(segment.pieces) or speech.piece_ends[-1] != total:
        raise AudioRejected("suspect_segment", f"segment {segment.index}: the pieces' ends do not fit the speech")
    start = 0
    for (sentence, text), end in zip(segment.pieces, speech.piece_ends, strict=True):
        if beats(text) >= _JUDGED_FROM:
            _paced(f"sentence {sentence}", text, (end - start) / speech.sample_rate_hz, limits)
        start = end


def _paced(what: str, text: str, seconds: float, limits: AudioLimits) -> None:
    count = beats(text)
    shortest, longest = limits.min_s_per_char * count, limits.max_s_per_char * max(count, _JUDGED_FROM)
    if not shortest <= seconds <= longest:
        raise AudioRejected(
            "suspect_segment", f"{what}: {seconds:.2f} s for {count} beats, expected {shortest:.2f} to {longest:.2f} s"
        )
