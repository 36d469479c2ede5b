"""Word documents: what a reader of the printed page sees, with its labels (rules SRC-6, SRC-8, CHK-1, SEC-3)."""

import base64
import io

import docx
import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import BlockKind, InputType, Quality, Reason, Removed, SourceLimits
from pipeline.domain.text import raw_span, same_words
from pipeline.intake.extract import extract
from pipeline.intake.route import route
from tests.support.books import PNG, paragraph, word, zipped
from tests.support.page_cases import LINE, MORE, ORDER


def read(data, **limits):
    return extract(data, name="a.docx", kind=InputType.DOCX, limits=SourceLimits(**limits))


def said(found, *kinds):
    return [found.text[b.start : b.end] for b in found.blocks if not kinds or b.kind in kinds]


def refused(data, **limits):
    with pytest.raises(InputRejected) as error:
        read(data, **limits)
    return error.value.reason


def _saved(document):
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_a_document_gives_its_headings_lists_and_tables():
    document = docx.Document()
    document.add_heading("湖心站管理办法", 0)
    document.add_heading("总则", 1)
    document.add_paragraph(LINE)
    for text in ("先登记", "再参观"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("雨天关闭", style="List Bullet")
    table = document.add_table(2, 3)
    for row, cells in enumerate((("站名", "水位", "流量"), ("北站", "3.2米", "18"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    found = read(_saved(document))
    assert said(found) == [
        "湖心站管理办法",
        "总则",
        LINE,
        "1. 先登记",
        "2. 再参观",
        "雨天关闭",
        "站名：北站；水位：3.2米；流量：18",
    ]
    assert [b.kind for b in found.blocks][2:] == [BlockKind.PARAGRAPH, *[BlockKind.LIST_ITEM] * 3, BlockKind.TABLE]
    assert (found.title, found.quality) == ("湖心站管理办法", Quality.FULL)
    assert found.extractor.startswith("mammoth ")


def _level(number, form, text, *, more=""):
    return f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def _numbering(*levels, lists=((1, ""),)):
    made = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="7"/>{more}</w:num>' for n, more in lists)
    return f'<w:abstractNum w:abstractNumId="7">{"".join(levels)}</w:abstractNum>{made}'


_START = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
LABELS = [
    (
        "articles",
        _numbering(_level(0, "chineseCounting", "第%1条")),
        [(1, 0)] * 12,
        [f"第{n}条 x" for n in "一 二 三 四 五 六 七 八 九 十 十一 十二".split()],
    ),
    (
        "chapters and sections",
        _numbering(_level(0, "chineseCounting", "%1、"), _level(1, "chineseCounting", "（%2）")),
        [(1, 0), (1, 1), (1, 1), (1, 0), (1, 1)],
        ["一、x", "（一）x", "（二）x", "二、x", "（一）x"],
    ),
    (
        "figures of two levels",
        _numbering(_level(0, "decimal", "%1."), _level(1, "decimal", "%1.%2")),
        [(1, 0), (1, 1), (1, 1), (1, 0), (1, 1)],
        ["1. x", "1.1 x", "1.2 x", "2. x", "2.1 x"],
    ),
    (
        "letters and romans",
        _numbering(_level(0, "lowerLetter", "(%1)"), _level(1, "lowerRoman", "%2.")),
        [(1, 0), (1, 1), (1, 1), (1, 0)],
        ["(a)x", "i. x", "ii. x", "(b)x"],
    ),
    (
        "a list that starts again",
        _numbering(_level(0, "decimal", "%1."), lists=((1, ""), (2, _START))),
        [(1, 0), (1, 0), (2, 0), (2, 0)],
        ["1. x", "2. x", "1. x", "2. x"],
    ),
    (
        "a list that goes on",
        _numbering(_level(0, "decimal", "%1."), lists=((1, ""), (2, ""))),
        [(1, 0), (1, 0), (2, 0)],
        ["1. x", "2. x", "3. x"],
    ),
    (
        "figures under Chinese numbers",
        _numbering(_level(0, "chineseCounting", "第%1章"), _level(1, "decimal", "%1.%2", more="<w:isLgl/>")),
        [(1, 0), (1, 0), (1, 1)],
        ["第一章 x", "第二章 x", "2.1 x"],
    ),
    ("circles", _numbering(_level(0, "decimalEnclosedCircle", "%1")), [(1, 0), (1, 0)], ["① x", "② x"]),
    ("bullets", _numbering(_level(0, "bullet", "●")), [(1, 0)], ["x"]),
]


@pytest.mark.parametrize(
    ("numbering", "asked", "expected"), [row[1:] for row in LABELS], ids=[row[0] for row in LABELS]
)
def test_labels_that_word_counts_are_written_out(numbering, asked, expected):
    body = paragraph(LINE) + "".join(paragraph("x", numbered=number) for number in asked)
    lines = said(read(word(body, numbering=numbering)))[1:]
    assert lines == expected


def test_a_numbered_heading_keeps_its_level_and_its_number():
    styles = '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    body = paragraph("总则", style="2") + paragraph(LINE) + paragraph("附则", style="2") + paragraph(MORE)
    found = read(word(body, styles=styles, numbering=_numbering(_level(0, "chineseCounting", "第%1章"))))
    assert said(found, BlockKind.HEADING) == ["第一章 总则", "第二章 附则"]


def test_deleted_and_hidden_words_leave_and_are_kept_for_the_ledger():
    """SRC-8."""
    body = (
        f"<w:p><w:r><w:t>{LINE}</w:t></w:r></w:p><w:p><w:r><w:t>开放时间为</w:t></w:r><w:del><w:r><w:delText>周一全天</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>周五</w:t></w:r></w:ins><w:r><w:rPr><w:strike/></w:rPr><w:t>周三</w:t></w:r><w:r><w:rPr><w:dstrike/></w:rPr><w:t>周四</w:t></w:r><w:r><w:t>全天。</w:t></w:r></w:p>"
        + paragraph(ORDER, run="<w:vanish/>")
        + paragraph(ORDER + "二", run='<w:sz w:val="1"/>')
        + paragraph("看得见的一句。", run='<w:vanish w:val="0"/>')
    )
    found = read(word(body))
    assert said(found) == [LINE, "开放时间为周五全天。", "看得见的一句。"]
    assert {
        ("deleted", "周一全天"),
        ("deleted", "周三周四"),
        ("hidden", ORDER),
        ("hidden", ORDER + "二"),
    } == {(r.why, r.text) for r in found.removed}


def test_a_table_of_contents_is_furniture():
    styles = '<w:style w:type="paragraph" w:styleId="11"><w:name w:val="toc 1"/></w:style>'
    found = read(word(paragraph("总则 1", style="11") + paragraph(LINE), styles=styles))
    assert found.text == LINE
    assert found.removed == (Removed("furniture", "总则 1"),)


def test_notes_keep_their_marks_and_stand_at_the_end():
    notes = '<w:footnote w:id="2"><w:p><w:r><w:t>以国家基准为准。</w:t></w:r></w:p></w:footnote>'
    body = f'<w:p><w:r><w:t>水位按基准换算</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>后记录在册。</w:t></w:r></w:p>{paragraph(LINE)}'
    assert said(read(word(body, footnotes=notes))) == ["水位按基准换算[1]后记录在册。", LINE, "1. 以国家基准为准。"]


def test_cells_that_word_merges_stand_with_their_headers():
    """CHK-1."""

    def cell(text, more=""):
        return f"<w:tc><w:tcPr>{more}</w:tcPr>{paragraph(text)}</w:tc>"

    start, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = paragraph(LINE) + (
        f"<w:tbl><w:tr>{cell('区')}{cell('站名')}{cell('水位')}</w:tr><w:tr>{cell('东区', start)}{cell('北站')}{cell('3.2米')}</w:tr>"
        f"<w:tr>{cell('', on)}{cell('南站')}{cell('4.1米')}</w:tr></w:tbl>"
    )
    assert said(read(word(body)), BlockKind.TABLE) == [
        "区：东区；站名：北站；水位：3.2米\n区：东区；站名：南站；水位：4.1米"
    ]


def test_pictures_come_along_as_data():
    document = docx.Document()
    document.add_paragraph(LINE)
    document.add_picture(io.BytesIO(PNG + b"\0" * 400))
    (asset,) = read(_saved(document)).assets
    assert (asset.media_type, base64.b64decode(asset.data), asset.at) == ("image/png", PNG + b"\0" * 400, 0)


def test_a_password_is_told_apart_from_an_old_document():
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    limits = SourceLimits()
    with_password = ole + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600
    assert route(with_password, name="a.docx", limits=limits) is InputType.DOCX
    assert refused(with_password) == Reason.ENCRYPTED
    with pytest.raises(InputRejected) as error:
        route(ole, name="a.doc", limits=limits)
    assert (error.value.reason, error.value.values) == (Reason.WRONG_KIND, {"kind": "office"})


_DEEP = "<w:sdt><w:sdtContent>" * 2_000 + paragraph(LINE) + "</w:sdtContent></w:sdt>" * 2_000
BROKEN = [
    ("no zip", b"PK\x03\x04 nothing", Reason.BROKEN),
    ("no text part", zipped({"[Content_Types].xml": "<Types/>"}), Reason.BROKEN),
    ("text that is no XML", word("<w:p>"), Reason.BROKEN),
    ("nested without end", word(_DEEP), Reason.BROKEN),
    (
        "an entity bomb",
        word(paragraph(LINE), extra={"word/comments.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}),
        Reason.BROKEN,
    ),
    (
        "an entity bomb in UTF-16",
        word(paragraph(LINE), extra={"word/comments.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>".encode("utf-16")}),
        Reason.BROKEN,
    ),
    ("nothing in it", word(""), Reason.NO_TEXT),
    ("only empty paragraphs", word(paragraph("") * 5), Reason.NO_TEXT),
    ("cut off", word(paragraph(LINE))[:-40], Reason.BROKEN),
    ("a bomb", zipped({"word/document.xml": b" " * 300_000_000}), Reason.TOO_LARGE),
]


@pytest.mark.parametrize(("data", "reason"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_what_cannot_be_read_is_named(data, reason):
    """SEC-3, SRC-6."""
    assert refused(data) == reason


TITLES = [
    ("a heading first", word(paragraph("湖心站管理办法", style="Heading1") + paragraph(LINE)), "湖心站管理办法"),
    ("a line like a title", word(paragraph("关于参观的通知") + paragraph(LINE)), "关于参观的通知"),
    ("a sentence first", word(paragraph(LINE) + paragraph(MORE)), "a"),
    (
        "the properties, if the text agrees",
        word(
            paragraph(LINE) + paragraph("湖心站手册在此。"),
            extra={"docProps/core.xml": "<c xmlns:dc='urn:d'><dc:title>湖心站手册</dc:title></c>"},
        ),
        "湖心站手册",
    ),
]


@pytest.mark.parametrize(("data", "title"), [row[1:] for row in TITLES], ids=[row[0] for row in TITLES])
def test_the_title(data, title):
    assert read(data).title == title


def test_blocks_lead_back_to_the_raw_text():
    """SRC-4."""
    found = read(word(paragraph(f"{LINE[:5]}\u200b{LINE[5:]}") + paragraph(f"二\u00ad段：{MORE}")))
    for block in found.blocks:
        start, end = raw_span(found.offsets, block.start, block.end)
        assert same_words(found.raw[start:end], found.text[block.start : block.end])
