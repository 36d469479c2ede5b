"""Segments cover the script once, in order, and a strange pace is caught (rules TTS-3, TTS-4)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.audio import AudioLimits
from pipeline.domain.errors import AudioRejected
from pipeline.domain.spoken import pinned
from pipeline.ports.tts import Speech
from pipeline.render.segments import covered, plausible, segments, split
from pipeline.render.speech_text import Lexicon
from tests.support.scripts import script

EMPTY = Lexicon()
LIMITS = AudioLimits()


def test_whole_sentences_share_a_call_while_they_fit() -> None:
    """TTS-3: at most max_segment_chars, and one more does not fit."""
    made = segments(
        script("一二三四。", "五六七八。", "九十。"), lexicon=EMPTY, limits=AudioLimits(max_segment_chars=10)
    )
    assert [s.pieces for s in made] == [((0, "一二三四。"), (1, "五六七八。")), ((2, "九十。"),)]
    assert [(s.first, s.last, s.index) for s in made] == [(0, 1, 0), (2, 2, 1)]


def test_a_long_sentence_is_cut_at_its_own_marks_and_shares_no_call() -> None:
    made = segments(
        script("甲。", "一二三四五，六七八九十。", "乙。"), lexicon=EMPTY, limits=AudioLimits(max_segment_chars=8)
    )
    assert [s.pieces for s in made] == [((0, "甲。"),), ((1, "一二三四五，"),), ((1, "六七八九十。"),), ((2, "乙。"),)]


@settings(deadline=None)  # the first example loads a dictionary
@given(st.lists(st.text(alphabet="天地人，。；A1 😀", max_size=40), min_size=1, max_size=8), st.integers(6, 30))
def test_every_sentence_is_said_once_and_no_call_is_too_long(texts: list[str], limit: int) -> None:
    """TTS-3, TTS-4."""
    doc, limits = script(*texts), AudioLimits(max_segment_chars=limit)
    made = segments(doc, lexicon=EMPTY, limits=limits)
    covered(made, doc, lexicon=EMPTY)
    assert all(len(s.text) <= limit for s in made)
    assert [s.index for s in made] == list(range(len(made)))


@settings(deadline=None)  # the first example loads a dictionary
@given(st.text(alphabet="天地，。", max_size=60), st.integers(1, 20))
def test_parts_join_to_the_whole(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert "".join(parts) == text
    assert all(len(part) <= limit for part in parts)


def test_a_pinned_reading_is_not_cut_in_two() -> None:
    text = "天地玄黄" + pinned("行长", "hang2 zhang3") + "来了"
    assert split(text, 8)[0] == "天地玄黄"


DOC = script("第一句话。", "第二句话。", "第三句话。")
MADE = segments(DOC, lexicon=EMPTY, limits=AudioLimits(max_segment_chars=6))
FORGED = replace(MADE[1], text="别的话。", pieces=((1, "别的话。"),))
HOLES = [
    ("one left out", (MADE[0], replace(MADE[2], index=1))),
    ("one twice", (MADE[0], MADE[1], replace(MADE[1], index=2), replace(MADE[2], index=3))),
    ("swapped", (replace(MADE[1], index=0), replace(MADE[0], index=1), MADE[2])),
    ("other words, old hash", (MADE[0], FORGED, MADE[2])),
    ("numbered with a hole", (MADE[0], MADE[1], replace(MADE[2], index=5))),
    ("the last left out", MADE[:2]),
    ("nothing", ()),
]


@pytest.mark.parametrize("made", [row[1] for row in HOLES], ids=[row[0] for row in HOLES])
def test_a_hole_a_double_and_a_swap_are_refused(made) -> None:
    """TTS-4."""
    covered(MADE, DOC, lexicon=EMPTY)
    with pytest.raises(AudioRejected) as no:
        covered(made, DOC, lexicon=EMPTY)
    assert no.value.reason == "coverage"


def test_other_words_with_a_hash_of_their_own_are_refused() -> None:
    """TTS-4: agreeing with itself is not enough; the script decides."""
    (other,) = segments(script("别的话。"), lexicon=EMPTY, limits=LIMITS)
    other = replace(other, index=1, first=1, last=1, pieces=((1, other.text),))
    with pytest.raises(AudioRejected, match="sentence 1"):
        covered((MADE[0], other, MADE[2]), DOC, lexicon=EMPTY)


def spoken(seconds: float, *ends_s: float) -> Speech:
    rate = 1000
    return Speech(bytes(2 * round(seconds * rate)), rate, tuple(round(end * rate) for end in ends_s))


(TEN,) = segments(script("一二三四五六七八九十。"), lexicon=EMPTY, limits=LIMITS)
(ONE,) = segments(script("是。"), lexicon=EMPTY, limits=LIMITS)
(SILENT,) = segments(script("😀"), lexicon=EMPTY, limits=LIMITS)
PACES = [
    ("as fast as allowed", TEN, 1.2, True),
    ("one past it", TEN, 1.199, False),
    ("as slow as allowed", TEN, 4.5, True),
    ("one past that", TEN, 4.501, False),
    ("one beat may take its time", ONE, 3.6, True),
    ("but not for ever", ONE, 3.601, False),
    ("one beat swallowed", ONE, 0.119, False),
    ("silence for what is silent", SILENT, 0.0, True),
    ("babble for what is silent", SILENT, 3.7, False),
]


@pytest.mark.parametrize(("segment", "seconds", "good"), [row[1:] for row in PACES], ids=[row[0] for row in PACES])
def test_a_pace_outside_the_limits_is_suspect(segment, seconds: float, good: bool) -> None:
    """TTS-4: 0.12 to 0.45 s per character."""
    if good:
        plausible(segment, spoken(seconds), limits=LIMITS)
    else:
        with pytest.raises(AudioRejected) as no:
            plausible(segment, spoken(seconds), limits=LIMITS)
        assert no.value.reason == "suspect_segment"


def test_a_swallowed_sentence_is_found_inside_a_segment_of_good_pace() -> None:
    """TTS-4, T6: the mean of the segment hides it, the piece's own end shows it."""
    (both,) = segments(script("一二三四五六七八九十。", "一二三四五六七八九十。"), lexicon=EMPTY, limits=LIMITS)
    plausible(both, spoken(5.0, 2.5, 5.0), limits=LIMITS)
    plausible(both, spoken(5.0), limits=LIMITS)
    with pytest.raises(AudioRejected, match="sentence 1"):
        plausible(both, spoken(5.0, 4.4, 5.0), limits=LIMITS)


def test_ends_that_do_not_fit_the_speech_are_refused() -> None:
    for ends in ((2.0,), (2.0, 2.5), (1.0, 2.0, 5.0)):
        (both,) = segments(script("一二三四五六七八九十。", "一二三四五六七八九十。"), lexicon=EMPTY, limits=LIMITS)
        with pytest.raises(AudioRejected):
            plausible(both, spoken(5.0, *ends), limits=LIMITS)
