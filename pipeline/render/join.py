"""Segments of speech joined into one programme, and when each sentence sounds in it (rules AUD-1, TTS-4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.domain.audio import AudioLimits, Cue, SpokenSegment
from pipeline.domain.errors import AudioRejected
from pipeline.domain.script import Role, ScriptDoc
from pipeline.domain.spoken import beats
from pipeline.ports.tts import Speech

VERSION = "join 1"


@dataclass(frozen=True)
class Pauses:
    """Milliseconds of silence. ``turn`` stands where the role changes to or from what Earmark says itself."""

    lead: int = 150
    statement: int = 380
    question: int = 450
    clause: int = 250  # after a sentence that ends without a full stop
    turn: int = 550
    within: int = 120  # between two parts of one sentence
    tail: int = 350


@dataclass(frozen=True)
class Programme:
    """16-bit little-endian mono PCM and one cue per script sentence, in order. A silent sentence's cue is empty."""

    pcm: bytes
    sample_rate_hz: int
    cues: tuple[Cue, ...]


_Sound = tuple[int, NDArray[np.int16]]


def join(
    made: tuple[SpokenSegment, ...],
    speeches: tuple[Speech, ...],
    script: ScriptDoc,
    *,
    limits: AudioLimits,
    pauses: Pauses | None = None,
) -> Programme:
    """Put ``speeches`` (one per segment) after each other with pauses between sentences.

    Where a speech does not tell its pieces' ends, they are estimated from the beats of their texts.

    Raises:
        AudioRejected: ``coverage`` if segments and speeches differ in number; ``undecodable`` if a speech has another
            sample rate, half a sample, or no sample at all.
    """
    if len(made) != len(speeches):
        raise AudioRejected("coverage", f"{len(speeches)} speeches for {len(made)} segments")
    pauses = pauses or Pauses()
    sounds = [sound for segment, speech in zip(made, speeches, strict=True) for sound in _cut(segment, speech, limits)]
    rate = limits.sample_rate_hz
    programme: list[NDArray[np.int16]] = [_silence(pauses.lead, rate)]
    at = programme[0].size
    spans: dict[int, tuple[int, int]] = {}
    before: int | None = None
    for sentence, samples in sounds:
        if samples.size:
            gap = _silence(0 if before is None else _pause_ms(script, before, sentence, pauses), rate)
            programme += [gap, samples]
            start = spans.get(sentence, (at + gap.size, 0))[0]
            at += gap.size + samples.size
            spans[sentence] = (start, at)
            before = sentence
        else:
            spans.setdefault(sentence, (at, at))
    if before is None:
        raise AudioRejected("undecodable", "there is no speech at all")
    programme.append(_silence(pauses.tail, rate))
    cues = tuple(Cue(n, _ms(a, rate), _ms(b, rate)) for n, (a, b) in sorted(spans.items()))
    return Programme(np.concatenate(programme).astype("<i2").tobytes(), rate, cues)


def _silence(ms: int, rate: int) -> NDArray[np.int16]:
    return np.zeros(ms * rate // 1000, np.int16)


def _ms(samples: int, rate: int) -> int:
    return round(samples * 1000 / rate)


def _cut(segment: SpokenSegment, speech: Speech, limits: AudioLimits) -> list[_Sound]:
    if speech.sample_rate_hz != limits.sample_rate_hz or len(speech.pcm) % 2:
        raise AudioRejected(
            "undecodable",
            f"segment {segment.index}: {speech.sample_rate_hz} Hz, {len(speech.pcm)} bytes; "
            f"expected {limits.sample_rate_hz} Hz, 16 bit",
        )
    samples = np.frombuffer(speech.pcm, "<i2").astype(np.int16)
    ends = speech.piece_ends or _estimated(segment, samples.size)
    starts = (0, *ends[:-1])
    if len(ends) != len(segment.pieces) or list(ends) != sorted(ends) or ends[-1] != samples.size:
        raise AudioRejected(
            "coverage", f"segment {segment.index}: the pieces' ends do not fit its {samples.size} samples"
        )
    return [(sentence, samples[a:b]) for (sentence, _), a, b in zip(segment.pieces, starts, ends, strict=True)]


def _estimated(segment: SpokenSegment, samples: int) -> tuple[int, ...]:
    counts = np.cumsum([beats(text) for _, text in segment.pieces])
    total = int(counts[-1]) or 1
    ends = [round(samples * int(count) / total) for count in counts]
    return (*ends[:-1], samples)


def _pause_ms(script: ScriptDoc, before: int, after: int, pauses: Pauses) -> int:
    if before == after:
        return pauses.within
    first, second = script.sentences[before], script.sentences[after]
    own = {Role.OPENING, Role.CLOSING, Role.GAP}
    if (first.role in own) != (second.role in own):
        return pauses.turn
    end = first.text.rstrip("”」』）)\"' ")[-1:]
    if end in "？?！!":
        return pauses.question
    return pauses.statement if end in "。.…" else pauses.clause
