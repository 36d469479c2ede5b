"""Books: chapters in the order of the spine, bounded before they are unpacked (rules SRC-6, SEC-3, SRC-8)."""

import base64

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import BlockKind, InputType, Quality, Reason, SourceLimits
from pipeline.domain.text import raw_span, same_words
from pipeline.intake.extract import extract
from pipeline.intake.route import route
from tests.support.books import PNG, book, chapter, zipped
from tests.support.page_cases import LINE, MORE, ORDER

ONE = chapter(f"<h1>第一章 记录</h1><p>{LINE}</p>")
TWO = chapter(f"<h1>第二章 夜班</h1><p>{MORE}</p>")


def read(data, **limits):
    return extract(data, name="a.epub", kind=InputType.EPUB, limits=SourceLimits(**limits))


def said(found, *kinds):
    return [found.text[b.start : b.end] for b in found.blocks if not kinds or b.kind in kinds]


def refused(data, **limits):
    with pytest.raises(InputRejected) as error:
        read(data, **limits)
    return error.value.reason


def test_chapters_are_read_in_the_order_of_the_spine():
    found = read(book({"b.xhtml": TWO, "a.xhtml": ONE}, order=["a.xhtml", "b.xhtml"]))
    assert said(found) == ["第一章 记录", LINE, "第二章 夜班", MORE]
    assert said(found, BlockKind.HEADING) == ["第一章 记录", "第二章 夜班"]
    assert (found.title, found.quality, found.extractor) == ("湖心站手册", Quality.FULL, "epub 1")


def test_a_book_is_known_by_its_bytes():
    limits = SourceLimits()
    data = book({"a.xhtml": ONE})
    assert route(data, name="a.zip", limits=limits) is InputType.EPUB
    packed_again = zipped({"META-INF/container.xml": "x", "a/b.opf": "y"}, packed=False)
    assert route(packed_again, name="a", limits=limits) is InputType.EPUB


def test_contents_pages_are_left_out():
    nav = chapter("<nav epub:type='toc'><ol><li><a href='a.xhtml'>第一章 记录</a></li></ol></nav>")
    links = "".join(f"<p><a href='c{n}.xhtml'>第{n}节 说明</a></p>" for n in range(8))
    data = book(
        {"a.xhtml": ONE, "list.xhtml": chapter(f"<h2>目录</h2>{links}")},
        items="<item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>",
        spine="<itemref idref='nav'/>",
        extra={"OEBPS/nav.xhtml": nav},
    )
    assert said(read(data)) == ["第一章 记录", LINE]


LABELS = [
    (
        "the nav",
        "<item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>",
        {"OEBPS/nav.xhtml": chapter("<nav><ol><li><a href='a.xhtml#x'>记录的办法</a></li></ol></nav>")},
    ),
    (
        "the NCX",
        "<item id='ncx' href='toc.ncx' media-type='application/x-dtbncx+xml'/>",
        {
            "OEBPS/toc.ncx": "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navMap><navPoint><navLabel><text>记录的办法</text></navLabel><content src='a.xhtml'/></navPoint></navMap></ncx>"
        },
    ),
]


@pytest.mark.parametrize(("items", "extra"), [row[1:] for row in LABELS], ids=[row[0] for row in LABELS])
def test_a_chapter_without_a_heading_takes_its_line_of_the_contents(items, extra):
    data = book({"a.xhtml": chapter(f"<p>{LINE}</p>"), "b.xhtml": TWO}, items=items, extra=extra)
    assert said(read(data)) == ["记录的办法", LINE, "第二章 夜班", MORE]


def test_what_xhtml_closes_at_once_does_not_swallow_the_chapter():
    body = f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='a.js'/></head><body><a id='p1'/><h1>第一章</h1><p>{LINE}<br/>{MORE}</p><td/></body></html>"
    assert said(read(book({"a.xhtml": body}))) == ["第一章", LINE, MORE]


def test_hidden_text_and_orders_are_treated_as_on_a_page():
    """SRC-8."""
    found = read(
        book({"a.xhtml": chapter(f"<p>{LINE}</p><p style='display:none'>{ORDER}</p><p><del>旧的</del>{MORE}</p>")})
    )
    assert found.text == f"{LINE}\n\n{MORE}"
    assert {r.why for r in found.removed} == {"deleted", "hidden"}


def test_pictures_come_along_as_data():
    """Pitfall W2."""
    big = PNG + b"\0" * 400
    data = book(
        {"a.xhtml": chapter(f"<p>{LINE}</p><img src='img/%E4%B8%80.png' alt='水尺'/><p>{MORE}</p>")},
        items="<item id='i' href='img/%E4%B8%80.png' media-type='image/png'/>",
        extra={"OEBPS/img/一.png": big},
    )
    (asset,) = read(data).assets
    assert (asset.alt, asset.media_type, base64.b64decode(asset.data), asset.at) == (
        "水尺",
        "image/png",
        big,
        len(LINE) + 2,
    )


def test_notes_stand_at_the_end_of_their_chapter():
    body = f"<p>{LINE[:-1]}<a epub:type='noteref' href='#n'>1</a>。</p><aside epub:type='footnote' id='n'><p>以国家基准为准。</p></aside><p>{MORE}</p>"
    assert said(read(book({"a.xhtml": chapter(body), "b.xhtml": TWO}))) == [
        f"{LINE[:-1]}[1]。",
        MORE,
        "以国家基准为准。",
        "第二章 夜班",
        MORE,
    ]


def _locks(method, uri):
    return (
        "<encryption xmlns='urn:oasis:names:tc:opendocument:xmlns:container' xmlns:e='http://www.w3.org/2001/04/xmlenc#'>"
        f"<e:EncryptedData><e:EncryptionMethod Algorithm='{method}'/><e:CipherData><e:CipherReference URI='{uri}'/>"
        "</e:CipherData></e:EncryptedData></encryption>"
    )


def test_a_locked_book_says_so_and_locked_fonts_do_not_matter():
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    locked = book({"a.xhtml": ONE}, extra={"META-INF/encryption.xml": _locks(aes, "OEBPS/a.xhtml")})
    assert refused(locked) == Reason.ENCRYPTED
    fonts = book(
        {"a.xhtml": ONE}, extra={"META-INF/encryption.xml": _locks("http://www.idpf.org/2008/embedding", "OEBPS/f.otf")}
    )
    assert LINE in read(fonts).text


def test_a_missing_chapter_is_said():
    """SRC-5."""
    found = read(
        book(
            {"a.xhtml": ONE},
            items="<item id='z' href='z.xhtml' media-type='application/xhtml+xml'/>",
            spine="<itemref idref='z'/>",
        )
    )
    assert (found.quality, found.notes) == (Quality.PARTIAL, ("chapters_missing:1",))


BROKEN = [
    ("no zip", b"PK\x03\x04 nothing", Reason.BROKEN),
    ("no package", zipped({"mimetype": "application/epub+zip"}), Reason.BROKEN),
    ("a package that is no XML", zipped({"META-INF/container.xml": "<<<", "a.opf": "\x00"}), Reason.BROKEN),
    ("no chapters", book({}), Reason.NO_TEXT),
    ("only pictures", book({"a.xhtml": chapter("<img src='a.png'/>")}), Reason.NO_TEXT),
    ("cut off", book({"a.xhtml": ONE})[:-40], Reason.BROKEN),
]


@pytest.mark.parametrize(("data", "reason"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_what_is_no_book_is_refused(data, reason):
    assert refused(data) == reason


BOMBS = [
    ("one member of 300 MB", lambda: zipped({"mimetype": "application/epub+zip", "a": b"\0" * 300_000_000})),
    ("many members", lambda: zipped({f"{n}": "" for n in range(10_001)})),
    ("a ratio no text has", lambda: book({"a.xhtml": chapter("<p>" + "a" * 30_000_000 + "</p>")})),
]


@pytest.mark.parametrize("data", [row[1] for row in BOMBS], ids=[row[0] for row in BOMBS])
def test_a_bomb_is_refused_before_it_is_unpacked(data):
    """SRC-6."""
    assert refused(data()) == Reason.TOO_LARGE


@pytest.mark.parametrize(("limit", "is_refused"), [(20_000, False), (3_000, True)])
def test_the_limit_of_what_may_be_unpacked(limit, is_refused):
    data = book({"a.xhtml": chapter(f"<p>{LINE}</p>" * 100)})
    if is_refused:
        assert refused(data, max_unpacked_bytes=limit) == Reason.TOO_LARGE
    else:
        assert LINE in read(data, max_unpacked_bytes=limit).text


def test_entities_of_the_package_and_of_a_chapter_are_not_expanded():
    bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaaaaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
    data = book({"a.xhtml": f"{bomb}<html><body><p>{LINE}&b;</p></body></html>"}, title="&b;")
    assert "aaaa" not in read(data).text
    outside = "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/hostname'>]>"
    assert said(read(book({"a.xhtml": f"{outside}<html><body><p>{LINE}&f;</p></body></html>"})))[0].startswith(LINE)


def test_blocks_lead_back_to_the_raw_text():
    """SRC-4."""
    found = read(
        book({"a.xhtml": chapter(f"<h1>第一章</h1><p>{LINE[:5]}\u200b{LINE[5:]}</p><p>二\u00ad段：{MORE}</p>")})
    )
    for block in found.blocks:
        start, end = raw_span(found.offsets, block.start, block.end)
        assert same_words(found.raw[start:end], found.text[block.start : block.end])
