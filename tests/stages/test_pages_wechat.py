r"""WeChat's pages: a body its style hides, and share pages whose words stand in a script (rule SRC-8, pitfall W1)."""

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Quality, ReadHints, Reason
from pipeline.intake.extract import extract
from tests.support.page_cases import LINE, MORE, ORDER

HEAD = "<meta property='og:site_name' content='微信公众平台'><meta property='og:title' content='{title}'><meta property='og:description' content='{about}'><link href='//res.wx.qq.com/a.css'>"


def read(page):
    return extract(
        page.encode(), name="a.html", kind=InputType.HTML, hints=ReadHints(address="https://mp.weixin.qq.com/s/x")
    )


def said(found):
    return [found.text[b.start : b.end] for b in found.blocks]


def shared(script, *, kind=10, body="<div id='js_article'><p id='js_text_desc'></p></div>", title="湖心站", about=""):
    return (
        f"<html><head>{HEAD.format(title=title, about=about)}</head><body>{body}"
        f"<script>window.item_show_type = '{kind}' || '';</script><script>{script}</script></body></html>"
    )


def test_a_body_that_is_hidden_by_style_is_read_and_what_is_hidden_in_it_is_not():
    """SRC-8."""
    page = (
        f"<html><head>{HEAD.format(title='x', about='')}</head><body><h1 id='activity-name'> 湖心站 </h1><div id='js_content' style='visibility: hidden; opacity: 0;'>"
        f"<section><span>{LINE}</span></section><section style='display:none'>{ORDER}</section><p style='font-size:0'>{ORDER}</p><p><strong>{MORE}</strong></p></div>"
        "<div><p>微信扫一扫关注该公众号</p></div></body></html>"
    )
    found = read(page)
    assert said(found) == [LINE, MORE]
    assert (found.title, found.quality, found.extractor) == ("湖心站", Quality.FULL, "wechat container 2")
    assert [gone.text for gone in found.removed] == [ORDER, ORDER]


TEXT = f"{LINE}\\x0a\\x0a{MORE}\\x26amp;\\x22完\\x22"
SCRIPTS = [
    (
        "in the page's data",
        f"window.cgiDataNew = {{ desc: JsDecode(''), content_noencode: JsDecode(''), text_page_info: {{ content_noencode: JsDecode('{TEXT}'), }} }}",
    ),
    ("in double quotes", f'window.cgiDataNew = {{content_noencode:JsDecode("{TEXT}")}}'),
    (
        "in the older script",
        f"var cgiData = {{}}; var TextContentNoEncode = window.a_value_which_never_exists || '{TEXT}';",
    ),
]


@pytest.mark.parametrize("script", [row[1] for row in SCRIPTS], ids=[row[0] for row in SCRIPTS])
def test_a_shared_text_is_read_from_the_script_by_name(script):
    found = read(shared(script, title="另一句"))
    assert said(found) == [LINE, f'{MORE}&"完"']
    assert found.extractor == "wechat share 1"


def test_a_shared_text_without_its_script_is_its_description_or_its_title():
    empty = "window.cgiDataNew = { content_noencode: JsDecode('') }"
    assert said(read(shared(empty, about=f"{LINE}\\x0a{MORE}"))) == [LINE, MORE]
    assert said(read(shared(empty, title=f"{LINE}\\n{MORE}"))) == [LINE, MORE]


def test_a_shared_set_of_pictures_gives_its_words_and_the_addresses_of_its_own_pictures():
    """Pitfall W2."""
    script = (
        f"window.cgiDataNew = {{ content_noencode: JsDecode('{LINE}'), picture_page_info_list: [ {{ cdn_url: JsDecode('https://a.example/1?x=1\\x26amp;y=2'), width: '1' * 1,"
        " watermark_info: { cdn_url: JsDecode('https://a.example/mark'), }, }, { width: '9' * 1, height: '9' * 1, cdn_url: JsDecode('https://a.example/2'), share_cover: { cdn_url: JsDecode('https://a.example/cover') } } ] }"
    )
    found = read(shared(script, kind=8))
    assert said(found) == [LINE]
    assert [a.address for a in found.assets] == ["https://a.example/1?x=1&y=2", "https://a.example/2"]


def test_markup_in_a_shared_body_is_read_under_the_same_guards():
    """EVD-8, SRC-8."""
    hidden = f"\\x3cp style=\\x22display:none\\x22\\x3e{ORDER}\\x3c/p\\x3e\\x3cscript\\x3ealert(1)\\x3c/script\\x3e"
    script = f"window.cgiDataNew = {{ content_noencode: JsDecode('\\x3cp\\x3e{LINE}\\x3c/p\\x3e{hidden}\\x3cp\\x3e{MORE}\\x3c/p\\x3e') }}"
    found = read(shared(script, kind=0))
    assert said(found) == [LINE, MORE]
    assert [gone.text for gone in found.removed] == [ORDER]


def test_a_short_share_wins_over_the_chrome_in_the_container():
    chrome = "<div id='js_content'><p>湖心站的公众号 关注 分享 收藏 在看 写下你的留言</p></div>"
    assert said(read(shared(f"cgiDataNew = {{content_noencode: JsDecode('{LINE}')}}", body=chrome))) == [LINE]


def test_an_article_wins_over_its_copy_in_the_script():
    body = f"<div id='js_content' style='visibility:hidden'><p>{LINE}</p><p>{MORE}</p></div>"
    found = read(shared(f"cgiDataNew = {{content_noencode: JsDecode('{LINE}')}}", kind=0, body=body))
    assert said(found) == [LINE, MORE]
    assert found.extractor == "wechat container 2"


@pytest.mark.parametrize(
    "script",
    [
        "cgiDataNew = {content_noencode: JsDecode('",
        "cgiDataNew = {content_noencode: JsDecode(x + 'abc')}",
        "cgiDataNew = 1",
    ],
)
def test_a_script_that_says_nothing_is_no_text(script):
    with pytest.raises(InputRejected) as refused:
        read(shared(script, title=""))
    assert refused.value.reason == Reason.NO_TEXT


def test_the_same_names_on_another_site_say_nothing():
    page = f"<html><body><article><p>{MORE}</p></article><script>window.item_show_type='10'; cgiDataNew={{content_noencode: JsDecode('{ORDER}')}}</script></body></html>"
    assert read(page).text == MORE
