"""Spoken text and its beats (rule TTS-4)."""

from __future__ import annotations

import pytest

from pipeline.domain.spoken import beats, pinned, plain, runs

BEATS = [
    ("han", "你好，世界。", 4),
    ("digits", "12", 2),
    ("a word by its syllables", "transformer", 3),
    ("silent e", "like", 1),
    ("no vowel", "hmm", 1),
    ("capitals by letter, w as two", "WHO", 4),
    ("mixed", "用Python写", 4),
    ("pin counts as its word", pinned("重庆", "chong2 qing4"), 2),
    ("marks only", "……，！", 0),
    ("empty", "", 0),
]


@pytest.mark.parametrize(("text", "count"), [row[1:] for row in BEATS], ids=[row[0] for row in BEATS])
def test_beats(text: str, count: int) -> None:
    assert beats(text) == count


def test_pins_can_be_told_and_dropped() -> None:
    text = "去" + pinned("重庆", "chong2 qing4") + "吧"
    assert list(runs(text)) == [("去", None), ("重庆", "chong2 qing4"), ("吧", None)]
    assert plain(text) == "去重庆吧"
