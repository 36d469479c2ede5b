"""Pictures of the article become assets: lazy ones too, trackers and icons not (pitfalls W1, W2, W10)."""

import pytest

from pipeline.domain.source import InputType, ReadHints
from pipeline.intake.extract import extract
from pipeline.intake.page_pictures import LAZY, MAX_ASSETS
from tests.support.page_cases import LINE, MORE, page

AT = "https://lake.example/news/a.html"
BLANK = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def assets(markup, *, head="", address=AT):
    found = extract(
        page(markup, head=head).encode(), name="a.html", kind=InputType.HTML, hints=ReadHints(address=address)
    )
    return found, found.assets


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_picture_is_found_by_its_attribute(name):
    """W1."""
    _, found = assets(f"<p><img src='{BLANK}' {name}='/img/1.jpg' alt='北站的 水尺'></p>")
    assert [(a.address, a.alt, a.data) for a in found] == [("https://lake.example/img/1.jpg", "北站的 水尺", "")]


ADDRESSES = [
    ("relative", "<img src='1.jpg'>", "", ["https://lake.example/news/1.jpg"]),
    ("without a scheme", "<img src='//cdn.example/1.jpg'>", "", ["https://cdn.example/1.jpg"]),
    ("a base", "<img src='1.jpg'>", "<base href='https://cdn.example/x/'>", ["https://cdn.example/x/1.jpg"]),
    ("a relative base", "<img src='1.jpg'>", "<base href='../y/'>", ["https://lake.example/y/1.jpg"]),
    ("a base that is a script", "<img src='1.jpg'>", "<base href='javascript:1'>", ["https://lake.example/news/1.jpg"]),
    (
        "the largest of a set",
        "<img srcset='s.jpg 300w, l.jpg 900w, m.jpg 600w'>",
        "",
        ["https://lake.example/news/l.jpg"],
    ),
    ("twice the same", "<img src='1.jpg'><img data-src='1.jpg'>", "", ["https://lake.example/news/1.jpg"]),
    ("a script", "<img src='javascript:alert(1)'>", "", []),
    ("a file", "<img src='file:///etc/passwd'>", "", []),
    ("markup as a picture", "<img src='data:text/html;base64,PGI+eDwvYj4='>", "", []),
    ("brackets that are no address", "<img src='http://[x'>", "", []),
    ("a tracker", "<img src='https://t.example/p?x' width=1 height=1>", "", []),
    ("an icon", "<img src='i.png' class='icon-share'>", "", []),
    ("a small picture", "<img src='i.png' style='width:16px;height:16px'>", "", []),
    ("an emoji", "<img src='/emoji/smile.png'>", "", []),
]


@pytest.mark.parametrize(
    ("markup", "head", "expected"), [row[1:] for row in ADDRESSES], ids=[row[0] for row in ADDRESSES]
)
def test_addresses_are_absolute_and_of_the_web(markup, head, expected):
    _, found = assets(f"<p>{LINE}</p>{markup}<p>{MORE}</p>", head=head)
    assert [a.address for a in found] == expected


def test_a_page_without_an_address_gives_only_absolute_ones():
    _, found = assets("<img src='1.jpg'><img src='https://lake.example/2.jpg'>", address=None)
    assert [a.address for a in found] == ["https://lake.example/2.jpg"]


def test_a_picture_belongs_to_the_block_before_it_or_around_it():
    found, (first, second) = assets(f"<p>第二段在此，说得不长。</p><img src=1.jpg><p>{MORE}<img src=2.jpg></p>")
    assert found.text[first.at :].startswith("第二段在此")
    assert found.text[second.at :].startswith(MORE)


def test_pictures_outside_the_article_are_left():
    links = "".join(f"<li><a href='/{n}'><img src='side{n}.jpg'>另一篇的题目{n}</a></li>" for n in range(9))
    markup = page("<p><img src='in.jpg'></p>").replace("</main>", f"</main><aside><ul>{links}</ul></aside>")
    found = extract(markup.encode(), name="a.html", kind=InputType.HTML, hints=ReadHints(address=AT))
    assert [a.address for a in found.assets] == ["https://lake.example/news/in.jpg"]


def test_pictures_that_came_along_are_bounded():
    """Twenty pictures, five megabytes; one that is too large does not keep the next from coming (W10)."""
    large = "data:image/png;base64," + "A" * 4_000_000
    small = "data:image/png;base64," + "B" * 400
    _, found = assets("".join(f"<p><img src='{data}'></p>" for data in (large, large, small)))
    assert [(a.media_type, len(a.data)) for a in found] == [("image/png", 4_000_000), ("image/png", 400)]
    _, many = assets("".join(f"<p><img src='{n}.jpg'></p>" for n in range(60)))
    assert len(many) == MAX_ASSETS


def test_an_archive_of_a_page_brings_its_pictures():
    """A "web archive" (MHTML) is read as the page it holds."""
    picture = "QUJD" * 200
    parts = [
        'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="--b"; type="text/html"\r\n',
        f"----b\r\nContent-Type: text/html; charset=gbk\r\nContent-Transfer-Encoding: 8bit\r\nContent-Location: {AT}\r\n\r\n{page('<p><img src=1.png><img src=cid:two@x></p>')}\r\n",
        f"----b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://lake.example/news/1.png\r\n\r\n{picture}\r\n",
        f"----b\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <two@x>\r\n\r\n{picture}\r\n----b--\r\n",
    ]
    found = extract("\r\n".join(parts).encode("gbk"), name="a.mht", kind=InputType.HTML)
    assert (LINE in found.text, found.codec) == (True, "gb18030")
    assert [(a.media_type, a.data) for a in found.assets] == [("image/png", picture), ("image/jpeg", picture)]
