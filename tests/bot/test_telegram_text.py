"""Text as Telegram counts and cuts it (rule CHT-4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.port import Button, Mark, Media, Outbound
from bot.channels.telegram.channel import entities
from bot.channels.telegram.text import code_points, cut, split, units

WORDS = st.text(st.sampled_from("冰a 。.\n😀é́"), max_size=120)


@given(WORDS, st.integers(2, 30), st.integers(2, 30))
def test_parts_fit_and_lose_nothing_but_white_space(text, first, rest):
    ranges = split(text, first, rest)
    assert all(units(text[a:b]) <= (first if n == 0 else rest) for n, (a, b) in enumerate(ranges))
    assert all(a <= b for a, b in ranges)
    assert "".join("".join(text[a:b].split()) for a, b in ranges) == "".join(text.split())


@given(WORDS, st.integers(0, 60), st.integers(0, 60))
def test_a_range_in_units_becomes_whole_characters(text, offset, length):
    start, end = code_points(text, offset, length)
    assert 0 <= start <= end <= len(text)
    assert units(text[:start]) <= offset or start == len(text)


def test_a_text_is_cut_between_blocks_before_lines_before_sentences():
    assert [("甲" * 6 + "\n乙\n\n" + "丙" * 6)[a:b] for a, b in split("甲" * 6 + "\n乙\n\n" + "丙" * 6, 12, 12)] == [
        "甲" * 6 + "\n乙",
        "丙" * 6,
    ]
    text = "一二三。四五六。七八九"
    assert [text[a:b] for a, b in split(text, 9, 9)] == ["一二三。四五六。", "七八九"]


def test_an_emoji_is_never_halved():
    text = "😀" * 10
    assert [text[a:b] for a, b in split(text, 5, 5)] == ["😀😀"] * 5


def test_media_goes_with_the_first_part_and_buttons_with_the_last():
    media, buttons = Media("k", "audio/ogg", "a.ogg"), (Button("x", "retry", {"revision": 1}),)
    made = cut(Outbound("voice", "句。" * 600, buttons=buttons, media=media), 1024)
    assert [(bool(part.media), bool(part.buttons)) for part in made] == [(True, False), (False, True)]
    assert [units(part.text) <= limit for part, limit in zip(made, (1024, 4096), strict=True)] == [True, True]


@pytest.mark.parametrize(("start", "end", "offset", "length"), [(1, 3, 2, 2), (0, 1, 0, 2), (3, 4, 4, 2)])
def test_marks_are_told_in_utf16_units(start, end, offset, length):
    (entity,) = entities("😀冰层😀", (Mark(start, end, "bold"),)) or []
    assert (entity.type, entity.offset, entity.length) == ("bold", offset, length)


def test_a_mark_over_a_cut_is_in_both_parts():
    made = cut(Outbound("note", "甲" * 5 + "\n\n" + "乙" * 5, marks=(Mark(3, 9, "bold"),)), 6, 6)
    assert [part.marks for part in made] == [(Mark(3, 5, "bold"),), (Mark(0, 2, "bold"),)]
