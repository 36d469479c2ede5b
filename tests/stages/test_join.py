"""Joined speech and the times of its sentences (rules AUD-1, TTS-4)."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.domain.audio import AudioLimits, Cue
from pipeline.domain.errors import AudioRejected
from pipeline.domain.script import Role
from pipeline.ports.tts import Speech
from pipeline.render.join import Pauses, join
from pipeline.render.segments import segments
from pipeline.render.speech_text import Lexicon
from pipeline.render.transcript import webvtt
from tests.support.scripts import script

LIMITS = AudioLimits()
PAUSES = Pauses(lead=100, statement=300, question=400, clause=200, turn=500, within=50, tail=250)


def tone(*lengths_ms: int, known: bool = True, rate: int = 24_000) -> Speech:
    """One constant level per piece: 1000, 2000, …"""
    parts = [np.full(ms * rate // 1000, 1000 * (i + 1), "<i2") for i, ms in enumerate(lengths_ms)]
    ends = tuple(int(n) for n in np.cumsum([part.size for part in parts]))
    return Speech(np.concatenate(parts).tobytes(), rate, ends if known else ())


def test_pauses_are_silence_and_count_in_the_times() -> None:
    """TTS-4: a cue is where the sentence sounds in the finished file."""
    doc = script("一。", "二？", "三。")
    made = segments(doc, lexicon=Lexicon(), limits=LIMITS)
    out = join(made, (tone(1000, 500, 700),), doc, limits=LIMITS, pauses=PAUSES)
    assert out.cues == (Cue(0, 100, 1100), Cue(1, 1400, 1900), Cue(2, 2300, 3000))
    samples = np.frombuffer(out.pcm, "<i2")
    assert samples.size == 24 * 3250
    assert set(samples[24 * 1400 : 24 * 1900]) == {2000}
    assert not samples[24 * 1100 : 24 * 1400].any()
    assert not samples[24 * 3000 :].any()


def test_a_sentence_over_two_calls_is_one_cue() -> None:
    doc = script("一二三四五，六七八九十。", "甲。")
    made = segments(doc, lexicon=Lexicon(), limits=AudioLimits(max_segment_chars=8))
    out = join(made, (tone(1000), tone(1000), tone(500)), doc, limits=LIMITS, pauses=PAUSES)
    assert out.cues == (Cue(0, 100, 2150), Cue(1, 2450, 2950))


def test_earmark_makes_way_for_the_source_with_a_longer_pause() -> None:
    doc = script("开场。", "原文。", "原文。", roles=(Role.OPENING, Role.FACT, Role.FACT))
    made = segments(doc, lexicon=Lexicon(), limits=LIMITS)
    out = join(made, (tone(400, 400, 400),), doc, limits=LIMITS, pauses=PAUSES)
    assert [cue.start_ms for cue in out.cues] == [100, 1000, 1700]


def test_unknown_ends_are_estimated_from_the_beats() -> None:
    doc = script("一二三。", "一。")
    made = segments(doc, lexicon=Lexicon(), limits=LIMITS)
    out = join(made, (tone(4000, known=False),), doc, limits=LIMITS, pauses=PAUSES)
    assert out.cues == (Cue(0, 100, 3100), Cue(1, 3400, 4400))


def test_a_silent_sentence_adds_no_pause_and_no_cue_in_the_transcript() -> None:
    doc = script("一。", "😀", "二。")
    made = segments(doc, lexicon=Lexicon(), limits=LIMITS)
    out = join(made, (tone(1000, 0, 1000),), doc, limits=LIMITS, pauses=PAUSES)
    assert out.cues == (Cue(0, 100, 1100), Cue(1, 1100, 1100), Cue(2, 1400, 2400))
    assert b"00:00:01.100 --> 00:00:01.100" not in webvtt(out.cues, doc)


BAD = [
    ("a speech too few", (), "coverage"),
    ("another rate", (tone(1000, rate=16_000),), "undecodable"),
    ("half a sample", (Speech(b"\0\0\0", 24_000),), "undecodable"),
    ("no sample at all", (Speech(b"", 24_000, (0,)),), "undecodable"),
    ("ends beyond the speech", (Speech(bytes(200), 24_000, (101,)),), "coverage"),
]


@pytest.mark.parametrize(("speeches", "reason"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_does_not_fit_is_refused(speeches: tuple[Speech, ...], reason: str) -> None:
    """AUD-1: one PCM format."""
    doc = script("一。")
    with pytest.raises(AudioRejected) as no:
        join(segments(doc, lexicon=Lexicon(), limits=LIMITS), speeches, doc, limits=LIMITS)
    assert no.value.reason == reason
