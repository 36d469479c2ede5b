"""What a page is called; a site's name leaves the title only where the page says that it is the site's name."""

import pytest

from pipeline.domain.source import InputType
from pipeline.intake.extract import extract
from tests.support.page_cases import LINE, MORE

SITE = "<meta property='og:site_name' content='湖区新闻'>"
ROWS = [
    ("one heading the window agrees with", "<title>水位创新高_湖区新闻</title>", "<h1>水位创新高</h1>", "水位创新高"),
    (
        "og:title",
        "<title>水位创新高 - 湖区新闻</title><meta property='og:title' content='水位创新高'>",
        "",
        "水位创新高",
    ),
    (
        "an og:title that is the site's",
        "<title>水位创新高</title><meta property='og:title' content='湖区新闻网'>",
        "<h1>水位创新高</h1>",
        "水位创新高",
    ),
    ("a heading that is the logo", "<title>水位创新高</title>", "<h1>湖区新闻，您身边的消息</h1>", "水位创新高"),
    (
        "a headline for machines",
        '<title>湖区新闻：水位创新高</title><script type=\'application/ld+json\'>{"headline": "水位\\u521b新高"}</script>',
        "<h1>a</h1><h1>b</h1>",
        "水位创新高",
    ),
    ("a site named by the page, behind", f"<title>水位创新高_湖区新闻</title>{SITE}", "", "水位创新高"),
    ("a site named by the page, before", f"<title>湖区新闻 | 水位创新高</title>{SITE}", "", "水位创新高"),
    ("a part that is no site's name", f"<title>水位创新高_要闻</title>{SITE}", "", "水位创新高_要闻"),
    ("a dash inside a title", "<title>东区-西区水位对照</title>", "", "东区-西区水位对照"),
    ("a title of nothing but the site", f"<title>湖区新闻</title>{SITE}", "<h1>水位创新高</h1>", "水位创新高"),
    ("entities and white space", "<title>\n 水位 &amp; 流量 </title>", "", "水位 & 流量"),
    ("nothing at all", "", "", "a"),
]


@pytest.mark.parametrize(("head", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_title(head, body, expected):
    markup = f"<html><head>{head}</head><body>{body}<article><p>{LINE}</p><p>{MORE}</p></article></body></html>"
    assert extract(markup.encode(), name="a.html", kind=InputType.HTML).title == expected
