"""Content and function words, negations by words (rules CHK-3, EVD-2)."""

import pytest

from pipeline.domain.words import content_runs, is_summary, negations, units

NEGATED = [
    ("逾期不予受理", ("逾期", "不予")),
    ("未经批准不得进入", ("未经", "不得")),
    ("非常好的未来与不同的无人机", ()),
    ("没有无人驾驶汽车", ("没有",)),
    ("除外情形", ("除外",)),
    ("识别与分别", ()),
    ("It does not work, don't try", ("not", "n't")),
    ("a notable knot", ()),
]


@pytest.mark.parametrize(("text", "expected"), NEGATED)
def test_negation_is_read_by_words(text, expected):
    """EVD-2: 非常, 未来, 不同 and 无人机 negate nothing."""
    assert negations(text) == expected


SUMMARIES = [
    ("讲要点", True),
    ("这篇讲了什么", True),
    ("这篇文章的主要内容是什么？", True),
    ("请概括一下", True),
    ("summary", True),
    ("总结一下海水淡化的成本", False),
    ("青溪水库什么时候建成", False),
    ("这是什么", False),
]


@pytest.mark.parametrize(("question", "expected"), SUMMARIES)
def test_a_request_for_the_whole_names_no_topic(question, expected):
    assert is_summary(question) is expected


def test_question_words_are_no_content():
    """CHK-3."""
    assert content_runs("请问中国的水库是什么时候建成的？") == ("中国的水库", "建成")
    assert units("水库 3.5 km") == ("水库", "3.5", "km")
