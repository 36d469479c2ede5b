"""The scorer of pages: grams, segments, titles, and what shows a wrong codec."""

import pytest

from eval.scorers.pages import held, mojibake, overlap, same_title

SCORES = [
    ("the same", "水位站每小时记录", "水位站每小时记录", 1.0, 1.0),
    ("white space and signs do not count", "水位 站每\n小时记录", "**水位站**每小时 记录", 1.0, 1.0),
    ("half of it", "水位站每小时记录一次", "水位站每小时", 1.0, 3 / 7),
    ("as much again", "水位站每小", "水位站每小水位站每小", 2 / 7, 1.0),
    ("nothing in common", "水位站每小时", "山上的茶园很大", 0.0, 0.0),
    ("nothing", "水位站每小时", "", 0.0, 0.0),
]


@pytest.mark.parametrize(("gold", "got", "precision", "recall"), [r[1:] for r in SCORES], ids=[r[0] for r in SCORES])
def test_overlap(gold, got, precision, recall):
    found = overlap(gold, got)
    assert (found.precision, found.recall) == (pytest.approx(precision), pytest.approx(recall))
    expected = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert found.f1 == pytest.approx(expected)


def test_segments_titles_and_wrong_codecs():
    assert held(["每小时 记录", "茶园"], "水位站每小时记录") == 1
    assert same_title("水位创新高_湖区新闻", "水位创新高")
    assert not same_title("水位创新高", "")
    assert mojibake("水位\ufffd\x85站é") == 2
    assert mojibake("水位\ufffd站", own="<p>水位\ufffd站</p>") == 0  # the page itself holds it
