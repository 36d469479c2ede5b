"""Canonical text, folding and their maps (rules SRC-4, EVD-2)."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.text import (
    apply_edits,
    canonicalise,
    compose,
    find_quote,
    fold,
    new_span,
    print_forms,
    raw_span,
    same_words,
)

ALPHABET = st.sampled_from(
    list(
        "中文，。“”「」 \t\n\r\u3000１２Ａaz09.-—\u200b\u200d\u202e\u00ad\u0000\x1c\x85\u2028ﬁﬄ⼀⻚豈😀👩🇨é\ufe0f\ufeff\U000e0041½²不未"
    )
)
TEXTS = st.text(ALPHABET, max_size=60) | st.text(max_size=40)


def monotone(offsets, raw, new):
    raw_at = new_at = 0
    for a, b, c, d in offsets.runs:
        assert raw_at <= a <= b <= len(raw)
        assert new_at <= c <= d <= len(new)
        raw_at, new_at = b, d


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_what_the_canonical_text_keeps_is_what_the_map_points_to(raw):
    """SRC-4: a run of equal lengths holds the same characters, line ends and lone surrogates apart."""
    text, offsets = canonicalise(raw)
    monotone(offsets, raw, text)
    for a, b, c, d in offsets.runs:
        assert b - a == d - c
        for old, new in zip(raw[a:b], text[c:d], strict=True):
            assert old == new or new in "\n\ufffd"
    covered = sum(d - c for _, _, c, d in offsets.runs)
    assert covered == len(text)
    assert canonicalise(text)[0] == text


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_folding_twice_is_folding_once(raw):
    """EVD-2."""
    once, offsets = fold(raw)
    monotone(offsets, raw, once)
    assert fold(once)[0] == once


@given(TEXTS, st.data())
@settings(max_examples=300, deadline=None)
def test_spans_go_there_and_back(raw, data):
    """SRC-4: canonical → raw → canonical is the identity, for every span."""
    text, offsets = canonicalise(raw)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    raw_start, raw_end = raw_span(offsets, start, end)
    assert 0 <= raw_start <= raw_end <= len(raw)
    if start < end:
        assert canonicalise(raw[raw_start:raw_end])[0].strip("\n") == text[start:end].strip("\n")
        assert new_span(offsets, raw_start, raw_end) == (start, end)


@given(TEXTS, st.data())
@settings(max_examples=300, deadline=None)
def test_every_piece_of_a_text_is_found_in_it_exactly(raw, data):
    """EVD-2: the quote equals the substring after folding, and the span says which substring."""
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    quote = raw[start:end]
    for found in find_quote(quote, raw):
        assert fold(raw[found[0] : found[1]])[0].strip() == fold(quote)[0].strip()
    if quote.strip() == quote and quote.isalnum() and quote.isascii():
        assert (start, end) in find_quote(quote, raw)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_two_maps_after_each_other_are_one(raw):
    """SRC-4: composing keeps order and points every unchanged character at its source."""
    middle, first = canonicalise(raw)
    last, second = fold(middle)
    both = compose(first, second)
    monotone(both, raw, last)
    for a, b, c, d in both.runs:
        if b - a == d - c:
            assert fold(raw[a:b])[0].strip() == fold(last[c:d])[0].strip() or "\n" in raw[a:b] or b - a == 1


SAME = [
    ("width", "２０２６年８月", "2026年8月"),
    ("quotes", "他说：「好」", '他说:"好"'),
    ("dashes", "3–5页", "3-5页"),
    ("spaces between Han", "中 国 人", "中国人"),
    ("a line break between Han", "中国\n人民", "中国人民"),
    ("a line break between words", "two\nwords", "two words"),
    ("radicals of a font", "⽬⻚", "目页"),
    ("ligature", "eﬃcient", "efficient"),
    ("zero-width", "中\u200b国", "中国"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_presentation_makes_no_difference(one, other):
    """EVD-2."""
    assert same_words(one, other)


DIFFERENT = [
    ("digits", "8月20日", "8月25日"),
    ("digits with a space", "3 5元", "35元"),
    ("wide digits with a space", "３ ５元", "35元"),
    ("a power", "10²", "102"),
    ("a fraction", "½", "1/2"),
    ("a unit", "5kg", "5g"),
    ("a negation", "不予受理", "予受理"),
    ("words run together", "two words", "twowords"),
    ("case of a name", "Apple", "apple"),
    ("traditional for simplified", "國", "国"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_what_says_something_makes_a_difference(one, other):
    """EVD-2: no fuzzy acceptance."""
    assert not same_words(one, other)
    assert find_quote(one, f"甲{other}乙") == ()


def test_a_quote_is_found_through_zero_width_and_emoji_at_code_points():
    """SRC-4: offsets are code points; an astral character counts one."""
    text = "😀前文。中\u200b 国“人”民😀"
    assert find_quote("中国", text) == ((4, 8),)
    assert find_quote('"人"', text) == ((8, 11),)
    assert find_quote("", text) == ()


def test_hidden_characters_leave_and_line_ends_become_one():
    """SRC-4, SRC-8: zero-width, bidi, tag block, controls, soft hyphen; CRLF and CR."""
    text, offsets = canonicalise("甲\r\n乙\r丙\u202e丁\U000e0041\u00ad\u0000戊\u2028己")
    assert text == "甲\n乙\n丙丁戊\n己"
    assert raw_span(offsets, 4, 5) == (5, 6)
    assert raw_span(offsets, 5, 6) == (7, 8)


def test_empty_text_maps_to_nothing():
    assert canonicalise("") == fold("") == print_forms("")
    assert canonicalise("")[0] == ""
    assert raw_span(canonicalise("")[1], 0, 0) == (0, 0)


def test_edits_out_of_order_are_refused():
    with pytest.raises(ValueError, match="edit"):
        apply_edits("abc", [(2, 3, ""), (0, 1, "")])


def test_two_megabytes_are_folded_in_seconds():
    """Speed: runs by regular expression; a loop over characters would take ten times the bound."""
    text = "在２０２６年，他说：“好。”\r\n这是 一 个测试 of words. " * 60_000
    started = time.process_time()  # this process only: other work on the machine does not count
    canonical, _ = canonicalise(text)
    fold(canonical)
    assert time.process_time() - started < 6
