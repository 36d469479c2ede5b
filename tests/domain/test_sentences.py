"""Sentence ends; every non-space character belongs to one sentence (rule CHK-1)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.sentences import MAX_CHARS, sentences

ROWS = [
    ("stops", "今天晴。明天雨！后天呢？", ["今天晴。", "明天雨！", "后天呢？"]),
    ("a closing quote stays", "他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
    ("decimals", "价格3.5元。约1.25万。", ["价格3.5元。", "约1.25万。"]),
    ("abbreviations", "Dr. Smith met J. K. Lee. He left.", ["Dr. Smith met J. K. Lee.", "He left."]),
    ("an address", "见 https://a.cn/b?x=1 一文。完", ["见 https://a.cn/b?x=1 一文。", "完"]),
    ("numbered items", "1. 先登记\n2. 再缴费", ["1. 先登记", "2. 再缴费"]),
    ("lines", "第一章 总则\n本办法适用于全体。", ["第一章 总则", "本办法适用于全体。"]),
    (
        "a long clause ends at its semicolon",
        "申报单位应当在规定的时间内提交全部纸质材料和电子材料；逾期不予受理。",
        ["申报单位应当在规定的时间内提交全部纸质材料和电子材料；", "逾期不予受理。"],
    ),
    ("a short clause does not", "甲；乙。", ["甲；乙。"]),
    ("ellipsis", "他走了……没有回来。", ["他走了……", "没有回来。"]),
    ("nothing", " \n ", []),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_sentences_end_where_a_reader_stops(text, expected):
    assert [text[a:b] for a, b in sentences(text)] == expected


def test_a_line_broken_because_it_was_full_goes_on():
    line = "这是一行被编辑器在固定宽度处折断的文字它的宽度已经满了所以换行不是句"
    assert len(sentences(f"{line}\n末，到这里才结束。")) == 1


@given(st.text(st.sampled_from(list("中文ab 1.。；\n，!?”…")), max_size=900))
@settings(max_examples=300, deadline=None)
def test_no_character_is_lost_and_none_is_said_twice(text):
    """CHK-1: ranges ascend, are disjoint, trimmed, bounded, and hold every non-space character."""
    at = 0
    kept = []
    for start, end in sentences(text):
        assert at <= start < end <= start + MAX_CHARS
        assert text[start:end] == text[start:end].strip()
        kept.append(text[start:end])
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()
