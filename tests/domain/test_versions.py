"""A page has changed when its main text has; counters and clocks are not its text (rule SRC-3, pitfall W15)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.versions import changes, main_sha256

PAGE = "湖心站记录\n\n湖面在十二月结冰，冰层厚三十厘米。\n\n值守人员每周测量一次。"

SAME = [
    ("a counter appears", PAGE + "\n阅读 1.2万"),
    ("two counters in a line", PAGE + "\n点赞 12 · 评论(3)"),
    ("english counters", PAGE + "\n1,204 views"),
    ("a relative time", PAGE + "\n3小时前"),
    ("a clock", PAGE + "\n更新时间：2026-11-30 21:05"),
    ("white space", PAGE.replace("\n\n", "\n \n")),
    ("full width figures", PAGE.replace("。", "。\u200a")),
]


@pytest.mark.parametrize("other", [row[1] for row in SAME], ids=[row[0] for row in SAME])
def test_counters_clocks_and_spaces_are_no_change(other):
    """SRC-3, W15."""
    assert main_sha256(other) == main_sha256(PAGE)


CHANGED = [
    ("a number", PAGE.replace("三十厘米", "四十厘米")),
    ("a negation", PAGE.replace("每周测量", "不再测量")),
    ("a sentence more", PAGE + "\n\n今年测量两次。"),
    ("a date by itself", PAGE + "\n2026年8月20日"),
    ("a sentence about readers", PAGE + "\n全站去年一共有阅读 1200 次的记录，都登记在值守日志的最后一页上，请查。"),
    ("words beside a counter", PAGE + "\n暂停开放 阅读 1200"),
]


@pytest.mark.parametrize("other", [row[1] for row in CHANGED], ids=[row[0] for row in CHANGED])
def test_a_changed_word_is_a_change(other):
    """SRC-3: a deadline or an issue date that moved is another version."""
    assert main_sha256(other) != main_sha256(PAGE)


def test_changes_are_counted_in_lines():
    old = "甲\n乙\n丙\n阅读 3"
    assert changes(old, "甲\n乙二\n丙\n丁\n阅读 900") == (2, 1)
    assert changes(old, old) == (0, 0)


@given(st.text(alphabet="甲乙丙1 \n阅读万.", max_size=60))
def test_any_text_has_a_main_text(text):
    assert main_sha256(text) == main_sha256(text + "\n12 次阅读\n")
