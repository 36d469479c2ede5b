"""What belongs to an article and what only stands around it (rule SRC-3, pitfalls W5, W6, W7)."""

import json

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Quality, Reason
from pipeline.intake.extract import extract
from tests.support.page_cases import LINE, MORE, page

LONG = (LINE + MORE) * 3
OTHER = "另一篇文章说的是山上的茶园，与本文没有关系。"


def read(markup):
    return extract(markup.encode(), name="a.html", kind=InputType.HTML)


def said(found):
    return [found.text[b.start : b.end] for b in found.blocks]


AROUND = [
    ("related articles, by their words", f"<h3>相关阅读</h3><div><p>{OTHER}</p><p>{OTHER * 2}</p></div>"),
    ("related articles, in English", f"<h3>You may also like</h3><div><p>{OTHER}</p></div>"),
    (
        "related articles, by the heading's name",
        f"<h3 class='relatedposts'>Vielleicht auch</h3><div><p>{OTHER}</p></div>",
    ),
    ("a list of links", "<ul>" + f"<li><a href='/x'>{OTHER[:-1]}</a></li>" * 6 + "</ul>"),
    ("an imprint", f"<p>版权所有 未经许可不得转载 {OTHER[:10]}</p><p>地址：湖边路</p>"),
]


@pytest.mark.parametrize("markup", [row[1] for row in AROUND], ids=[row[0] for row in AROUND])
def test_what_follows_an_article_is_none_of_it(markup):
    found = read(f"<html><body><div><h1>湖心站</h1><p>{LONG}</p><p>{MORE}</p>{markup}</div></body></html>")
    assert OTHER[:8] not in found.text
    assert said(found)[-2:] == [LONG, MORE]
    assert found.quality is Quality.FULL


def test_an_article_about_related_things_keeps_them():
    found = read(page(f"<h2>相关规定</h2><p>{LONG}</p><p>推荐阅读顺序：先看第三章。</p>"))
    assert "推荐阅读顺序" in found.text
    assert "相关规定" in found.text


def test_the_way_to_the_page_is_left_out():
    found = read(
        f"<html><body><div><div>当前位置：首页 > 新闻 > 正文</div><p>{LONG}</p><p>{MORE}</p></div></body></html>"
    )
    assert found.text.startswith(LONG)


def test_a_caption_and_a_standfirst_belong_to_the_article():
    found = read(
        f"<html><body><article><h1>湖心站</h1><div class=dek><p>一句话说明这篇文章讲什么，为什么要读。</p></div><div><p>{LONG}</p>"
        f"<figure><img src=a.png><figcaption>北站的水尺，夏天。</figcaption></figure><p>{MORE}</p></div></article></body></html>"
    )
    assert "一句话说明这篇文章讲什么" in found.text
    assert "北站的水尺，夏天。" in found.text


def test_what_was_lost_is_measured():
    """SRC-3: a main container that lost more than a tenth of its prose is LOSSY, with the share."""
    boxes = "".join(f"<div class='comments'><p>{LONG}{n}</p></div>" for n in range(2))
    assert read(page(boxes)).quality is Quality.FULL  # furniture does not count
    whole = read(page(f"<p>{LONG}</p>"))
    assert (whole.quality, whole.notes) == (Quality.FULL, ())


def test_the_same_paragraph_twice_in_an_article_stays_twice():
    found = read(page(f"<p>{LONG}</p><p>{LINE}</p><p>{LONG}二。</p><p>{LINE}</p>"))
    assert said(found).count(LINE) >= 2


def test_a_page_drawn_by_script_is_read_from_its_own_description():
    body = f"{LINE}\n{MORE}{LONG}"
    script = json.dumps({"@type": "NewsArticle", "articleBody": body})
    markup = f"<html><head><title>湖心站</title><script type='application/ld+json'>{script}</script></head><body><div id=app></div></body></html>"
    found = read(markup)
    assert said(found) == [LINE, f"{MORE}{LONG}"]
    assert found.extractor == "articleBody 1"
    with pytest.raises(InputRejected) as refused:
        read(markup.replace("articleBody", "description"))
    assert refused.value.reason == Reason.NO_TEXT


def test_short_chinese_paragraphs_are_an_article():
    """Pitfall W5: no threshold of length for Chinese."""
    lines = ["风大。", "雨也大。", "船没有来。", "我们在站里等，一直等到天黑。"]
    found = read(
        f"<html><body><article><h1>雨天</h1>{''.join(f'<p>{line}</p>' for line in lines)}</article></body></html>"
    )
    assert said(found)[-4:] == lines


def test_the_extractor_is_named_with_its_version():
    assert read(page(f"<p>{LONG}</p>")).extractor.startswith("trafilatura 2.")
