"""What a page's markup says besides its words stays: tables, lists, notes, code, captions (rules CHK-1, SRC-4)."""

import pytest

from pipeline.domain.source import BlockKind, InputType
from pipeline.domain.text import raw_span, same_words
from pipeline.intake.extract import extract
from tests.support.page_cases import LINE, MORE, page


def read(markup, **hints):
    return extract(markup.encode(), name="a.html", kind=InputType.HTML, **hints)


def said(found, *kinds):
    return [found.text[b.start : b.end] for b in found.blocks if not kinds or b.kind in kinds]


def rows(*lines):
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


TABLES = [
    (
        "columns named",
        rows("<th>站名<th>水位", "<td>北站<td>3.2米", "<td>南站<td>4.1米"),
        ["站名：北站；水位：3.2米", "站名：南站；水位：4.1米"],
    ),
    (
        "a cell of two rows",
        rows("<th>区<th>站名<th>水位", "<td rowspan=2>东区<td>北站<td>3.2米", "<td>南站<td>4.1米"),
        ["区：东区；站名：北站；水位：3.2米", "区：东区；站名：南站；水位：4.1米"],
    ),
    (
        "headers of two levels",
        rows("<th rowspan=2>站名<th colspan=2>一季度", "<th>均值<th>最高", "<td>北站<td>3.2<td>4.0"),
        ["站名：北站；一季度·均值：3.2；一季度·最高：4.0"],
    ),
    (
        "a matrix with an empty corner",
        rows("<td><th>周一<th>周二", "<th>上午<td>开放<td>关闭", "<th>下午<td>关闭<td>开放"),
        ["上午；周一：开放；周二：关闭", "下午；周一：关闭；周二：开放"],
    ),
    ("keys and values", rows("<th>地点<td>湖心站二楼", "<th>电话<td>见门口"), ["地点：湖心站二楼", "电话：见门口"]),
    (
        "keys and values in four columns",
        rows("<th>地点<td>湖心站<th>电话<td>见门口", "<th>时间<td>全天<th>票价<td>免费"),
        ["地点：湖心站；电话：见门口", "时间：全天；票价：免费"],
    ),
    (
        "keys and values without marks",
        rows("<td>联系人<td>值班员", "<td>地点<td>湖心站二楼"),
        ["联系人：值班员", "地点：湖心站二楼"],
    ),
    (
        "a plain first row above figures",
        rows("<td>站名<td>水位<td>流量", "<td>北站<td>3.2<td>18", "<td>南站<td>4.1<td>20"),
        ["站名：北站；水位：3.2；流量：18", "站名：南站；水位：4.1；流量：20"],
    ),
    (
        "a section row names what is below it",
        rows("<th>站名<th>水位", "<td colspan=2>东区", "<td>北站<td>3.2米", "<td colspan=2>西区", "<td>南站<td>4.1米"),
        ["东区；站名：北站；水位：3.2米", "西区；站名：南站；水位：4.1米"],
    ),
    (
        "a header again in the middle",
        rows("<th>站名<th>水位", "<td>北站<td>3.2米", "<th>站名<th>流量", "<td>北站<td>18"),
        ["站名：北站；水位：3.2米", "站名：北站；流量：18"],
    ),
    (
        "a head and a foot",
        "<table><tfoot><tr><td>合计<td>7.3</tr></tfoot><thead><tr><td>站名<td>水位</tr></thead><tbody><tr><td>北站<td>3.2</tr></tbody></table>",
        ["站名：北站；水位：3.2", "站名：合计；水位：7.3"],
    ),
    (
        "several lines in a cell",
        rows("<th>站名<th>开放", "<td>北站<td><p>上午</p><p>下午</p>", "<td>南站<td>周一<br>周二"),
        ["站名：北站；开放：上午 下午", "站名：南站；开放：周一 周二"],
    ),
    (
        "ragged rows",
        rows("<th>站名<th>水位<th>流量", "<td>北站<td>3.2", "<td>南站<td>4.1<td>20<td>备注"),
        ["站名：北站；水位：3.2", "站名：南站；水位：4.1；流量：20；备注"],
    ),
    (
        "struck and hidden cells",
        rows("<th>站名<th>水位", "<td>北站<td><del>9.9</del>3.2<span style='display:none'>8.8</span>"),
        ["站名：北站；水位：3.2"],
    ),
    ("no header at all", rows("<td>北站<td>3.2<td>18", "<td>南站<td>4.1<td>20"), ["北站；3.2；18", "南站；4.1；20"]),
    (
        "long cells under a header",
        rows("<th>条款<th>内容", f"<td>第一条<td>{LINE * 22}"),
        [f"条款：第一条；内容：{LINE * 22}"],
    ),
]


@pytest.mark.parametrize(("table", "expected"), [row[1:] for row in TABLES], ids=[row[0] for row in TABLES])
def test_every_cell_stands_with_its_headers(table, expected):
    """CHK-1: a table cell is evidence only with its row and column header."""
    assert "\n".join(said(read(page(table)), BlockKind.TABLE)).split("\n") == expected


def test_a_caption_stands_before_its_table():
    found = read(page("<table><caption>表一 各站水位</caption><tr><th>站名<th>水位<tr><td>北站<td>3.2</table>"))
    assert "表一 各站水位\n\n站名：北站；水位：3.2" in found.text


def test_a_table_that_only_lays_out_the_page_is_text():
    found = read(page(f"<table><tr><td><p>{LINE}{LINE}</p></td><td><p>{MORE}{MORE}</p></td></tr></table>"))
    assert said(found, BlockKind.TABLE) == []
    assert f"{LINE}{LINE}\n\n{MORE}{MORE}" in found.text


LISTS = [
    ("numbered", "<ol><li>打开闸门</li><li>记录水位</li></ol>", ["1. 打开闸门", "2. 记录水位"]),
    ("numbered from five", "<ol start=5><li>打开闸门</li><li>记录水位</li></ol>", ["5. 打开闸门", "6. 记录水位"]),
    (
        "one number set",
        "<ol><li>打开闸门</li><li value=7>记录水位</li><li>关闭闸门</li></ol>",
        ["1. 打开闸门", "7. 记录水位", "8. 关闭闸门"],
    ),
    ("lettered", "<ol type=a><li>打开闸门</li><li>记录水位</li></ol>", ["a. 打开闸门", "b. 记录水位"]),
    ("counted down", "<ol reversed><li>打开闸门</li><li>记录水位</li></ol>", ["2. 打开闸门", "1. 记录水位"]),
    (
        "already numbered by hand",
        "<ol><li>第1步 打开闸门</li><li>2、记录水位</li></ol>",
        ["第1步 打开闸门", "2、记录水位"],
    ),
    (
        "a list in a list",
        "<ol><li>准备<ul><li>雨衣</li><li>手电</li></ul></li><li>出发</li></ol>",
        ["1. 准备", "雨衣", "手电", "2. 出发"],
    ),
    (
        "two paragraphs in an item",
        "<ol><li><p>打开闸门。</p><p>注意水流。</p></li><li><p>记录水位。</p></li></ol>",
        ["1. 打开闸门。", "注意水流。", "2. 记录水位。"],
    ),
    ("not numbered", "<ul><li>打开闸门</li><li>记录水位</li></ul>", ["打开闸门", "记录水位"]),
    (
        "terms and what they mean",
        "<dl><dt>水位</dt><dd>湖面的高度</dd><dt>流量</dt><dd>每秒的水</dd></dl>",
        ["水位：湖面的高度", "流量：每秒的水"],
    ),
]


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS])
def test_list_items_keep_their_numbers(markup, expected):
    assert said(read(page(markup)), BlockKind.LIST_ITEM) == expected


INLINE = [
    (
        "a reading above a word",
        "<p><ruby>水位<rp>(</rp><rt>すいい</rt><rp>)</rp></ruby>を毎時間に記録し、報告します。</p>",
        "水位を毎時間に記録し、報告します。",
    ),
    (
        "a power",
        "<p>库容约为10<sup>6</sup>立方米，湖面3 km<sup>2</sup>，均为实测。</p>",
        "库容约为10⁶立方米，湖面3 km²，均为实测。",
    ),
    (
        "an index below",
        "<p>水中的CO<sub>2</sub>含量每周测一次，每次取三份。</p>",
        "水中的CO2含量每周测一次，每次取三份。",
    ),
    (
        "a quoted word",
        "<p>站长称之为<q>安静的一夜</q>，没有再说别的话。</p>",
        "站长称之为“安静的一夜”，没有再说别的话。",
    ),
    (
        "code in a line",
        "<p>运行 <code>level --hour</code> 即可看到当前水位，无需登录。</p>",
        "运行 level --hour 即可看到当前水位，无需登录。",
    ),
    (
        "a line broken in the source",
        "<p>水位记录\n      当天送到\n 县里，夜里复核一次。</p>",
        "水位记录当天送到县里，夜里复核一次。",
    ),
    (
        "a note's mark",
        "<p>水位以国家基准为准<sup><a href='#fn1'>1</a></sup>，每年校核一次。</p><section class=footnotes><ol><li id=fn1>基准面为黄海高程。<a href='#r1'>↩</a></li></ol></section>",
        "水位以国家基准为准[1]，每年校核一次。",
    ),
    (
        "a note's mark in brackets",
        "<p>水位以国家基准为准<sup class=reference><a href='#cite_note-1'>[1]</a></sup>，每年校核一次。</p>",
        "水位以国家基准为准[1]，每年校核一次。",
    ),
]


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in INLINE], ids=[row[0] for row in INLINE])
def test_a_line_reads_as_a_reader_sees_it(markup, expected):
    assert expected in said(read(page(markup)))


NOTES = [
    (
        "a note between two paragraphs",
        "<p>第一段说到基准<a epub:type=noteref href='#n1'>1</a>，此外没有别的。</p><aside epub:type=footnote id=n1><p>基准面为黄海高程。</p></aside><p>第二段接着往下说，说得也不长。</p>",
    ),
    (
        "a note inside a paragraph",
        "<p>第一段说到基准<span class=footnote>基准面为黄海高程。</span>，此外没有别的。</p><p>第二段接着往下说，说得也不长。</p>",
    ),
]


@pytest.mark.parametrize("markup", [row[1] for row in NOTES], ids=[row[0] for row in NOTES])
def test_a_note_is_a_block_at_the_end(markup):
    found = read(page(markup))
    blocks = said(found)
    assert blocks[-1] == "基准面为黄海高程。"
    assert any(b.startswith("第一段说到基准") and b.endswith("，此外没有别的。") for b in blocks)


def test_code_keeps_its_lines_and_figures_their_captions():
    found = read(
        page(
            "<pre><code>for hour in day:\n    write(level)\n</code></pre><figure><img src=a.png alt=x><figcaption>图一 北站的水尺</figcaption></figure>"
        )
    )
    assert said(found, BlockKind.CODE) == ["for hour in day:\n    write(level)"]
    assert "图一 北站的水尺" in said(found, BlockKind.PARAGRAPH)


def test_headings_keep_their_levels():
    found = read(
        page(
            f"<h2>记录</h2><p>{LINE}</p><h4>夜班</h4><p>{MORE}</p><div role=heading aria-level=3>报告</div><p>{LINE}</p>"
        )
    )
    levels = [(found.text[b.start : b.end], b.level) for b in found.blocks if b.kind is BlockKind.HEADING]
    assert [pair for pair in levels if pair[0] != "湖心站"] == [("记录", 2), ("夜班", 4), ("报告", 3)]


CLAUSES = [
    ("a short clause", "<p>逾期不予受理。</p>", "逾期不予受理。"),
    ("a short line without an end", "<p>联系电话 0000</p>", "联系电话 0000"),
    (
        "a sentence that is a link",
        "<p><a href='/rule'>具体要求见湖心站参观办法第三条。</a></p>",
        "具体要求见湖心站参观办法第三条。",
    ),
    ("a clause in a div", "<div>雨天关闭。</div>", "雨天关闭。"),
    ("a clause in bold", "<p><strong>严禁下水。</strong></p>", "严禁下水。"),
    ("a clause in a centre", "<center>特此通知。</center>", "特此通知。"),
]


@pytest.mark.parametrize(("markup", "clause"), [row[1:] for row in CLAUSES], ids=[row[0] for row in CLAUSES])
def test_a_clause_between_paragraphs_is_not_lost(markup, clause):
    """Pitfall W7."""
    found = read(page(f"<p>{LINE * 2}</p>{markup}<p>{MORE * 2}</p>"))
    assert clause in said(found)


@pytest.mark.parametrize(
    "markup", [row[1] for row in TABLES + LISTS + INLINE], ids=[row[0] for row in TABLES + LISTS + INLINE]
)
def test_blocks_lead_back_to_the_raw_text(markup):
    """SRC-4."""
    found = read(page(markup))
    for block in found.blocks:
        start, end = raw_span(found.offsets, block.start, block.end)
        assert same_words(found.raw[start:end], found.text[block.start : block.end])
