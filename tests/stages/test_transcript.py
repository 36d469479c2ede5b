"""WebVTT of a programme."""

from __future__ import annotations

import pytest

from pipeline.domain.audio import Cue
from pipeline.domain.errors import AudioRejected
from pipeline.render.transcript import webvtt
from tests.support.scripts import script


def test_the_transcript_shows_the_written_words_with_times_past_the_hour() -> None:
    out = webvtt((Cue(0, 150, 2000), Cue(1, 2380, 3_661_005)), script("a<b & c-->d\n\n甲，2026年。", "乙。"))
    assert out.decode() == (
        "WEBVTT\n\n1\n00:00:00.150 --> 00:00:02.000\na&lt;b &amp; c--&gt;d 甲，2026年。\n\n"
        "2\n00:00:02.380 --> 01:01:01.005\n乙。\n"
    )


@pytest.mark.parametrize(
    "cues",
    [
        (Cue(0, 0, 10),),
        (Cue(1, 0, 10), Cue(0, 10, 20)),
        (Cue(0, 0, 10), Cue(1, 9, 20)),
        (Cue(0, 0, 10), Cue(1, 20, 10)),
    ],
    ids=["one missing", "out of order", "overlap", "backwards"],
)
def test_times_that_do_not_fit_the_script_are_refused(cues: tuple[Cue, ...]) -> None:
    """TTS-4."""
    with pytest.raises(AudioRejected) as no:
        webvtt(cues, script("甲。", "乙。"))
    assert no.value.reason == "coverage"
