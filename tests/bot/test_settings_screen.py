"""The card of settings and what was found, as cases: rows in, message out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.channels.telegram.buttons import packed
from bot.channels.telegram.text import TEXT_UNITS, units
from bot.screens.find import QUOTE_CHARS, excerpt, find
from bot.screens.settings import settings
from storage.queries.owner.settings import SettingsView
from storage.queries.source.library import FoundView

VIEW = SettingsView("Asia/Shanghai", None)
PASSAGE = FoundView(12, "冰湖手册", "a.pdf", "一 › 冬季", 3, 0, 12, "冰层厚三十厘米，可以站人。", recognised=False)


@pytest.mark.parametrize(
    ("view", "lang", "said", "marked"),
    [
        (VIEW, "zh", "语言：中文\n时区：上海 (Asia/Shanghai)\n声音：还没有做过语音", ["✓ 中文", "✓ 上海"]),
        (VIEW, "en", "Language: English\nTime zone: Shanghai (Asia/Shanghai)", ["✓ English", "✓ Shanghai"]),
        (SettingsView("Africa/Nairobi", "zf_001"), "en", "Time zone: Africa/Nairobi\nVoice: zf_001", ["✓ English"]),
    ],
)
def test_the_card_says_what_is_set_and_marks_what_is_chosen(view, lang, said, marked):
    card = settings(view, lang)
    assert said in card.text
    assert [b.label for b in card.buttons if b.label.startswith("✓")] == marked
    assert len({packed(b) for b in card.buttons}) == len(card.buttons) == 10


LONG = (
    "第一句很长很长很长很长很长很长很长很长很长很长很长很长很长很长。" * 6
    + "冰层厚三十厘米。"
    + "后面还有很多话要说。" * 20
)


@pytest.mark.parametrize(
    ("words", "terms", "holds"),
    [
        ("短句。", ("没有",), "短句。"),
        (LONG, ("冰层",), "冰层厚三十厘米"),
        (LONG, ("没有",), "第一句"),
        (" \n 前后有空白 \n ", ("空白",), "前后有空白"),
        ("ﬁ" * 10 + LONG, ("冰层",), "ﬁ"),  # folding changes the length: shown from its start
        ("ICE " * 100 + "Glacier", ("glacier",), "Glacier"),
    ],
)
def test_an_excerpt_is_exact_short_and_holds_what_was_looked_for(words, terms, holds):
    start, end = excerpt(words, terms)
    assert 0 <= start < end <= len(words)
    assert end - start <= QUOTE_CHARS
    assert holds in words[start:end]
    assert words[start:end] == words[start:end].strip()


@pytest.mark.parametrize(
    ("passage", "lang", "place"),
    [
        (PASSAGE, "zh", "1. 《冰湖手册》，「冬季」一节，第 3 页\n"),
        (PASSAGE, "en", "1. “冰湖手册”, section “冬季”, page 3\n"),
        (replace(PASSAGE, recognised=True), "zh", "第 3 页，识别自图片\n"),
        (replace(PASSAGE, title="", heading="", page=None), "zh", "1. 《a.pdf》\n"),
        (replace(PASSAGE, title="", name="", heading="", page=None), "zh", "1. 粘贴的文字\n"),
        (replace(PASSAGE, heading="冰湖手册"), "zh", "1. 《冰湖手册》，第 3 页\n"),
    ],
)
def test_a_passage_says_where_it_stands(passage, lang, place):
    assert place in find("冰层", ("冰层",), (passage,), lang).text


def test_each_source_is_asked_by_one_button_named_by_its_first_passage():
    other = replace(PASSAGE, revision_id=40)
    shown = find("冰层", ("冰层",), (PASSAGE, PASSAGE, other), "zh")
    assert [(b.label, b.args["revision"]) for b in shown.buttons] == [("问这份资料（1）", 12), ("问这份资料（3）", 40)]
    assert [shown.text[m.start : m.end] for m in shown.marks] == [PASSAGE.words] * 3
    assert [b.label for b in find("冰层", (), (PASSAGE, PASSAGE), "en").buttons] == ["Ask this source"]


def test_five_long_passages_are_one_message():
    """CHT-4."""
    passage = replace(PASSAGE, title="长" * 200, heading="节" * 200, words="𠀀" * 2000)
    shown = find("问" * 500, ("冰",), (passage,) * 5, "zh")
    assert units(shown.text) <= TEXT_UNITS
    assert shown.text.count("……") == 5


def test_nothing_found_says_what_to_try():
    shown = find("火山", ("火山",), (), "en")
    assert (shown.kind, shown.buttons) == ("find", ())
    assert "Try a word" in shown.text
