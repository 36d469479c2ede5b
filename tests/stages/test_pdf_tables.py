"""A row of a PDF table names its columns where the layout is certain, and keeps its line where it is not (pitfall P8, CHK-1)."""

import pytest

from pipeline.domain.source import BlockKind, InputType
from pipeline.intake.extract import extract
from tests.support.printed import Printed

XS = [60, 180, 320, 460]
HEAD = ("站名", "水位（米）", "观测日期")
ROWS = [("北站", "3.27", "2026年6月18日"), ("南站", "4.10", "2026年6月19日"), ("东站", "2.98", "2026年6月20日")]


def read(printed):
    return extract(printed.bytes(), name="a.pdf", kind=InputType.PDF)


def tables(found):
    return [found.text[b.start : b.end] for b in found.blocks if b.kind is BlockKind.TABLE]


def others(found):
    return [found.text[b.start : b.end] for b in found.blocks if b.kind is not BlockKind.TABLE]


def fill(page, rows, *, top=700, step=24, xs=XS):
    for row, cells in enumerate(rows):
        for x, cell in zip(xs, cells, strict=False):
            page.say(x + 4, top - step * row - 16, cell)
    return page


def ruled(rows, *, top=700, step=24, xs=XS, page=None):
    page = page or Printed().page()
    ys = [top - step * row for row in range(len(rows) + 1)]
    return fill(page.grid(xs, ys), rows, top=top, step=step, xs=xs)


NAMED = "\n".join(f"站名：{a}；水位（米）：{b}；观测日期：{c}" for a, b, c in ROWS)


def test_a_ruled_table_names_the_columns_of_every_cell():
    page = ruled([HEAD, *ROWS]).say(60, 720, "表一 各站水位").say(60, 560, "以上数据经过复核。")
    found = read(page)
    assert tables(found) == [NAMED]
    assert others(found) == ["表一 各站水位", "以上数据经过复核。"]


def test_the_stream_may_print_the_cells_in_any_order():
    """Values printed into a form after its lines."""
    page = Printed().page().grid(XS, [700 - 24 * n for n in range(5)])
    cells = [(row, column, text) for row, its in enumerate([HEAD, *ROWS]) for column, text in enumerate(its)]
    for row, column, text in sorted(cells, key=lambda cell: (cell[1], -cell[0])):
        page.say(XS[column] + 4, 700 - 24 * row - 16, text)
    assert tables(read(page)) == [NAMED]


def test_a_cell_of_two_lines_is_one_value():
    page = Printed().page().grid(XS, [700, 676, 630])
    fill(page, [HEAD])
    page.say(64, 660, "北站").say(184, 660, "3.27").say(324, 660, "二〇二六年六").say(324, 645, "月十八日")
    assert tables(read(page)) == ["站名：北站；水位（米）：3.27；观测日期：二〇二六年六月十八日"]


def test_a_value_over_several_rows_stands_in_each_of_them():
    page = Printed().page()
    ys = [700, 676, 652, 628]
    for y in (700, 676, 628):
        page.line(60, y, 460, y)
    page.line(180, 652, 460, 652)
    for x in XS:
        page.line(x, ys[0], x, ys[-1])
    fill(page, [HEAD, ("", "3.27", "6月18日"), ("", "4.10", "6月19日")]).say(64, 648, "北站")
    assert tables(read(page)) == [
        "站名：北站；水位（米）：3.27；观测日期：6月18日\n站名：北站；水位（米）：4.10；观测日期：6月19日"
    ]


def test_a_name_over_two_columns_stands_before_theirs():
    page = Printed().page()
    for y in (700, 652, 628):
        page.line(60, y, 460, y)
    page.line(180, 676, 460, 676)
    for x, top in ((60, 700), (180, 700), (320, 676), (460, 700)):
        page.line(x, top, x, 628)
    page.say(64, 672, "站名").say(230, 684, "水位").say(184, 660, "最高").say(324, 660, "最低")
    page.say(64, 634, "北站").say(184, 634, "4.10").say(324, 634, "2.98")
    assert tables(read(page)) == ["站名：北站；水位·最高：4.10；水位·最低：2.98"]


def test_a_title_in_the_grid_is_a_line_above_the_table():
    page = Printed().page()
    for y in (724, 700, 676, 652):
        page.line(60, y, 460, y)
    for x in XS:
        page.line(x, 724 if x in (60, 460) else 700, x, 652)
    fill(page, [HEAD, ROWS[0]]).say(200, 708, "各站水位一览")
    assert tables(read(page)) == ["各站水位一览\n站名：北站；水位（米）：3.27；观测日期：2026年6月18日"]


def test_a_table_that_goes_on_keeps_its_names_on_the_next_page():
    page = ruled([HEAD, *ROWS], top=160)
    ruled([("西站", "1.20", "2026年6月21日"), ("湖心站", "1.40", "2026年6月22日")], top=790, page=page.page())
    assert tables(read(page)) == [
        NAMED,
        "站名：西站；水位（米）：1.20；观测日期：2026年6月21日\n站名：湖心站；水位（米）：1.40；观测日期：2026年6月22日",
    ]


def test_names_that_are_printed_again_are_no_row():
    page = ruled([HEAD, *ROWS], top=160)
    ruled([HEAD, ("西站", "1.20", "2026年6月21日")], top=790, page=page.page())
    assert tables(read(page))[1] == "站名：西站；水位（米）：1.20；观测日期：2026年6月21日"


@pytest.mark.parametrize("first", [("11", "3.27", "6月18日"), ("", "", ""), ("北站", "3.27", "46,265.00")])
def test_a_grid_without_names_gives_no_row_a_name(first):
    """A wrong name is worse than none."""
    found = read(ruled([first, *ROWS]))
    assert tables(found) == []
    assert "：" not in found.text
    for row in ROWS:
        assert row[0] in found.text


def test_a_form_is_read_cell_by_cell():
    page = Printed().page()
    for y in (700, 676, 652, 600):
        page.line(60, y, 460, y)
    for x, top, bottom in ((60, 700, 600), (200, 700, 676), (260, 676, 652), (460, 700, 600)):
        page.line(x, top, x, bottom)
    page.say(64, 684, "申请人：").say(64, 660, "电话：").say(64, 636, "事由：因检修需要进入").say(
        64, 622, "配电间一次。"
    )
    page.say(110, 684, "某某").say(204, 684, "日期：六月十八日").say(100, 660, "1234").say(264, 660, "编号：7")
    found = read(page)
    assert tables(found) == []
    order = [found.text.index(words) for words in ("申请人：", "某某", "日期：", "电话：", "1234", "编号：", "事由：")]
    assert order == sorted(order)


def test_columns_of_figures_under_words_need_no_rules():
    rows = [("站名", "最高", "最低", "差"), *((f"站{n}", f"{n}.20", f"{n}.05", "0.15") for n in range(1, 5))]
    page = fill(Printed().page(), rows, xs=[60, 160, 260, 360], step=18)
    assert tables(read(page)) == ["\n".join(f"站名：站{n}；最高：{n}.20；最低：{n}.05；差：0.15" for n in range(1, 5))]


def test_columns_of_words_without_rules_keep_their_lines():
    rows = [(f"第{n}组", f"负责{n}号闸", f"当日{n}点到岗") for n in range(6)]
    found = read(fill(Printed().page(), rows, xs=[60, 200, 340], step=18))
    assert tables(found) == []
    assert "第0组 负责0号闸 当日0点到岗" in found.text


def test_a_grid_in_one_path_and_boxes_drawn_cell_by_cell_are_tables_too():
    ys = [700 - 24 * n for n in range(5)]
    whole = " ".join([f"{x} {ys[0]} m {x} {ys[-1]} l" for x in XS] + [f"{XS[0]} {y} m {XS[-1]} {y} l" for y in ys])
    boxes = " ".join(f"{XS[c]} {ys[r + 1]} {XS[c + 1] - XS[c]} 24 re" for r in range(4) for c in range(3))
    for path in (whole, boxes):
        page = Printed().page().draw(f"0.5 w {path} S")
        assert tables(read(fill(page, [HEAD, *ROWS]))) == [NAMED]


def test_underlines_and_a_frame_are_no_table():
    page = Printed().page().line(50, 790, 545, 790).line(50, 60, 545, 60).line(50, 60, 50, 790).line(545, 60, 545, 790)
    page.say(60, 700, "湖心站每小时记录一次水位。").line(60, 698, 300, 698).say(60, 660, "数据当天送到县里。")
    found = read(page)
    assert tables(found) == []
    assert found.text == "湖心站每小时记录一次水位。\n数据当天送到县里。"


def columned(rows, *, header_rule=True):
    """Rules between columns and under the head only, as many reports have."""
    page = Printed().page()
    bottom = 700 - 24 * len(rows)
    for y in (700, *([676] if header_rule else []), bottom):
        page.line(60, y, 460, y)
    for x in XS:
        page.line(x, 700, x, bottom)
    return fill(page, rows)


def test_rows_without_rules_between_them_are_rows_all_the_same():
    assert tables(read(columned([HEAD, *ROWS]))) == [NAMED]


def test_rows_that_cannot_be_told_apart_keep_their_lines():
    """A cell is missing: nothing says of which row."""
    found = read(columned([HEAD, *ROWS[:2], ("东站", "", "2026年6月20日"), ("西站", "1.20", "")]))
    assert tables(found) == []
    assert "北站 3.27 2026年6月18日" in found.text


def test_values_wrapped_in_their_cells_are_no_rows():
    page = Printed().page().grid([60, 126, 192], [700, 676, 630])
    page.say(64, 684, "部门").say(130, 684, "职责")
    page.say(64, 660, "湖心水位站").say(64, 645, "北岸分站").say(130, 660, "负责记录并").say(130, 645, "报送水位")
    assert tables(read(page)) == ["部门：湖心水位站北岸分站；职责：负责记录并报送水位"]
