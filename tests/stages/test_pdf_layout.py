"""A PDF page is read in the order of its reader, whatever order its stream has (pitfalls P4 to P7, rules SRC-4, SRC-8)."""

import itertools

import pytest

from pipeline.domain.source import BlockKind, InputType, Removed
from pipeline.intake.extract import extract
from tests.support.printed import Printed

LEFT = [f"左栏第{n}行写的是湖心站水位的记录方法，" for n in "一二三四五六七八九"] + ["左栏到此结束。"]
RIGHT = [f"右栏第{n}行写的是北岸水泵的检修过程，" for n in "一二三四五六七八九"] + ["右栏到此结束。"]


def read(printed):
    return extract(printed.bytes(), name="a.pdf", kind=InputType.PDF)


def said(found):
    return [found.text[b.start : b.end] for b in found.blocks]


def test_columns_are_read_one_after_the_other_though_the_stream_goes_to_and_fro():
    """Pitfall P7."""
    page = Printed().page().say(150, 780, "两栏文章的题目横跨全页，写得比一栏更宽一些，一直到右边", size=14)
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        page.say(50, 740 - 16 * row, left).say(310, 740 - 16 * row, right)
    found = read(page)
    assert said(found)[1:] == ["".join(LEFT), "".join(RIGHT)]


def test_columns_in_the_stream_s_own_order_stay_as_they_are():
    page = Printed().page()
    for column, lines in ((50, LEFT), (310, RIGHT)):
        for row, line in enumerate(lines):
            page.say(column, 740 - 16 * row, line)
    assert said(read(page)) == ["".join(LEFT), "".join(RIGHT)]


def test_labels_and_values_side_by_side_are_no_columns():
    page = Printed().page()
    for row in range(8):
        page.say(50, 740 - 20 * row, f"第{row}项名称").say(320, 740 - 20 * row, f"数值{row * 7}")
    assert [line.replace(" ", "") for line in said(read(page))] == [f"第{n}项名称数值{n * 7}" for n in range(8)]


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("step", [0.3, 1.2, 2.4])
def test_fake_bold_is_read_once(times, step):
    """Pitfall P6: whole lines printed over themselves, a little to the right."""
    page = Printed().page()
    for copy in range(times):
        page.say(60 + step * copy, 700, "关于湖心站（二号）水位记录的通知。", size=16)
    page.say(60, 660, "湖心站每小时记录一次水位，数据当天送到县里。")
    found = read(page)
    assert said(found) == ["关于湖心站（二号）水位记录的通知。", "湖心站每小时记录一次水位，数据当天送到县里。"]


def test_each_character_printed_twice_is_read_once():
    """Pitfall P6: AABBCC."""
    words = "关于湖心站水位记录的通知"
    page = Printed().page()
    for at, character in enumerate(words):
        page.say(60 + 16 * at, 700, character, size=16).say(63 + 16 * at, 700, character, size=16)
    page.say(60, 660, "湖心站每小时记录一次水位，数据当天送到县里。")
    assert said(read(page))[0] == words


def test_characters_that_are_really_doubled_stay():
    page = Printed().page().say(60, 700, "天天向上，妈妈谢谢爷爷，年年岁岁人人平平安安，off 与 cliff 不少一个字母。")
    assert said(read(page)) == ["天天向上，妈妈谢谢爷爷，年年岁岁人人平平安安，off 与 cliff 不少一个字母。"]


def test_a_hyphen_goes_only_where_the_joined_word_is_one_of_the_text_s():
    """Pitfall P4."""
    lines = [
        "The information was kept by the keepers of the",
        "lake, and more infor-",
        "mation followed. It is a well-",
        "known fact that the gauge stands on the north bank.",
    ]
    page = Printed().page()
    for row, line in enumerate(lines):
        page.say(60, 700 - 16 * row, line)
    text = read(page).text.replace("\n", " ")
    assert "more information followed" in text
    assert "well-known fact" in text


def test_han_set_from_the_top_down_is_read_column_by_column_from_the_right():
    columns = ["湖心站每小时记录一次水位，", "数据当天送到县里保存十年。", "北岸的水泵在雨天开到清晨。"]
    page = Printed().page()
    for number, column in enumerate(columns):
        for row, character in enumerate(column):
            page.say(500 - 24 * number, 760 - 12 * row, character)
    assert "".join(read(page).text.split()) == "".join(columns)


def test_two_tiers_of_vertical_columns_are_read_tier_by_tier():
    page = Printed().page()
    tiers = []
    for tier in range(2):
        columns = [
            "".join(itertools.islice(itertools.cycle(f"第{tier}层第{n}列说的是水位与水泵"), 26)) for n in range(6)
        ]
        tiers.append("".join(columns))
        for number, column in enumerate(columns):
            for row, character in enumerate(column):
                page.say(500 - 20 * number, 780 - 380 * tier - 12 * row, character)
    assert "".join(read(page).text.split()) == "".join(tiers)


@pytest.mark.parametrize(
    ("rotate", "matrix", "place"),
    [
        (90, "0 1 -1 0", lambda x, y: (842 - y, x)),
        (270, "0 -1 1 0", lambda x, y: (y - 247, 842 - x)),
        (180, "-1 0 0 -1", lambda x, y: (595 - x, 842 - y)),
    ],
)
def test_a_page_that_is_turned_is_read_as_it_is_shown(rotate, matrix, place):
    """Columns on a turned page: the places count as the reader sees them."""
    page = Printed().page(rotate=rotate)
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        page.say(*place(50, 740 - 16 * row), left, matrix=matrix).say(*place(310, 740 - 16 * row), right, matrix=matrix)
    assert said(read(page)) == ["".join(LEFT), "".join(RIGHT)]


def test_a_stamp_that_leans_does_not_break_the_lines():
    page = Printed().page()
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        page.say(50, 740 - 16 * row, left).say(310, 740 - 16 * row, right)
    page.say(20, 300, "arXiv stamp of the margin", matrix="0 1 -1 0")
    assert said(read(page)) == ["".join(LEFT), "".join(RIGHT), "arXiv stamp of the margin"]


def test_arabic_that_is_printed_as_it_looks_is_read_as_it_is_said():
    look = "ءاملا عافترا نع ةطحملا ريرقت"
    page = (
        Printed().page().say(60, 700, look).say(60, 680, "2026 ماع").say(60, 660, "a plain line below it, in English")
    )
    lines = read(page).text.split("\n")
    assert lines[0] == "تقرير المحطة عن ارتفاع الماء"
    assert lines[1] == "عام 2026"
    assert lines[2] == "a plain line below it, in English"


def handbook(pages, first=1):
    printed = Printed()
    for number in range(pages):
        printed.page().say(60, 810, "湖心站值班手册  第三版").say(290, 30, f"- {number + first} -")
        for row in range(5):
            printed.say(
                60, 700 - 16 * row, f"{'甲乙丙丁'[number]}页的{'子丑寅卯辰'[row]}行内容各不相同，写到这里为止。"
            )
    return printed


def test_headers_go_and_are_kept_in_the_ledger_and_page_numbers_become_labels():
    """Pitfall P5, rule SRC-8."""
    found = read(handbook(4, first=17))
    assert "值班手册" not in found.text
    assert [r for r in found.removed if r.why == "furniture"] == [Removed("furniture", "湖心站值班手册 第三版")]
    assert found.page_labels == ("17", "18", "19", "20")


def test_numbers_that_count_from_one_are_no_labels():
    assert read(handbook(4)).page_labels == ()


def test_rows_of_figures_are_not_joined():
    page = Printed().page()
    rows = [f"Station{n} 1,{n}20 3,4{n}0 5{n} 6{n} 0 7{n} 1{n}" for n in range(10)]
    for row, line in enumerate(rows):
        page.say(60, 740 - 14 * row, line)
    assert said(read(page)) == rows


@pytest.mark.parametrize("end", ["na", "n.d.", "-", "*"])
def test_rows_of_figures_with_a_blank_at_the_end_are_not_joined(end):
    """A measurement that is missing is said in a word or a sign, mostly in the last column."""
    page = Printed().page()
    rows = [f"Station{n} 1,{n}20 3,4{n}0 5{n} 6{n} 0 7{n} {end if n % 2 else 10 + n}" for n in range(10)]
    for row, line in enumerate(rows):
        page.say(60, 740 - 14 * row, line)
    assert said(read(page)) == rows


def test_a_list_item_after_a_full_line_stands_alone():
    page = Printed().page()
    lines = [
        "湖心站每小时记录一次水位，数据当天送到县里保存，以备",
        "1.查验水位的变化是否合乎规律，以及各项记录是否完整无",
    ]
    for row, line in enumerate(lines):
        page.say(60, 700 - 16 * row, line)
    found = read(page)
    assert said(found) == lines
    assert found.blocks[1].kind is BlockKind.LIST_ITEM


@pytest.mark.parametrize("columns", [1, 2])
def test_a_character_that_is_one_stroke_does_not_break_its_line(columns):
    """Some fonts tell no more of 一 than its stroke: neither a small letter nor a line of its own."""
    lines = [
        "湖心站每月一日记录一次水位，数据一律当天送",
        "一月一日起改用新的表格，旧表格一概作废，不",
        "一一列举，所有一切由各站自行承担一年之久。",
    ]
    page = Printed(flat="一").page()
    for row in range(6):
        for column in range(columns):
            page.say(50 + 260 * column, 700 - 16 * row, lines[row % 3])
    assert said(read(page)) == ["".join(lines) * 2 * columns] or said(read(page)) == ["".join(lines) * 2] * columns
