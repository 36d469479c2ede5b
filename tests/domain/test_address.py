"""Addresses: what is refused before any look-up (SRC-6), what is one page (SRC-7), where links stand in a message."""

import ipaddress
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.address import (
    MAX_ADDRESS,
    canonical_address,
    check_address,
    find_links,
    parse_address,
    redirected,
    text_hint,
)
from pipeline.domain.errors import InputRejected
from pipeline.domain.hosts import is_public
from pipeline.domain.source import Reason
from tests.support.addresses import REFUSED


@pytest.mark.parametrize(("url", "why"), REFUSED, ids=[ascii(u)[:50] for u, _ in REFUSED])
def test_an_address_that_may_not_be_asked_for_is_refused_with_its_reason(url, why):
    """SRC-6."""
    with pytest.raises(InputRejected) as refused:
        check_address(url)
    assert refused.value.reason == Reason.ADDRESS_REFUSED
    assert refused.value.values["why"] == why
    assert "secret" not in str(refused.value)


ALLOWED = [
    ("http://site.test", "http", "site.test", 80, "/"),
    ("HTTPS://Site.Test/A?b=C#d", "https", "site.test", 443, "/A?b=C"),
    ("https://site.test:443/", "https", "site.test", 443, "/"),
    ("https://site.test:80/", "https", "site.test", 80, "/"),
    ("https://site.test./a", "https", "site.test", 443, "/a"),
    ("https://例子.中国/路径?词=值", "https", "xn--fsqu00a.xn--fiqs8s", 443, "/%E8%B7%AF%E5%BE%84?%E8%AF%8D=%E5%80%BC"),
    ("https://Bücher.test/", "https", "xn--bcher-kva.test", 443, "/"),
    ("https://straße.test/", "https", "xn--strae-oqa.test", 443, "/"),
    ("https://site。test/", "https", "site.test", 443, "/"),
    ("https://ｓｉｔｅ.test/", "https", "site.test", 443, "/"),
    ("https://8.8.8.8/", "https", "8.8.8.8", 443, "/"),
    ("https://134744072/", "https", "8.8.8.8", 443, "/"),
    ("https://[2606:4700:4700::1111]/", "https", "[2606:4700:4700::1111]", 443, "/"),
    ("https://site.test/%7euser/%e4%bd%a0", "https", "site.test", 443, "/~user/%E4%BD%A0"),
    ("https://site.test/100%", "https", "site.test", 443, "/100%25"),
    ("https://site.test/a/./b/../c", "https", "site.test", 443, "/a/c"),
    ("https://site.test/../../c/..", "https", "site.test", 443, "/"),
    ("https://site.test/a?u=http://127.0.0.1/", "https", "site.test", 443, "/a?u=http://127.0.0.1/"),
    ("https://site.test/a@b", "https", "site.test", 443, "/a@b"),
    ("https://1.site.test/", "https", "1.site.test", 443, "/"),
    ("https://_dns.site.test/", "https", "_dns.site.test", 443, "/"),
    (" https://site.test/a\n", "https", "site.test", 443, "/a"),
    ("https://site.test/" + "a" * (MAX_ADDRESS - 18), "https", "site.test", 443, "/" + "a" * (MAX_ADDRESS - 18)),
]


@pytest.mark.parametrize(("url", "scheme", "host", "port", "target"), ALLOWED, ids=[ascii(u[0])[:50] for u in ALLOWED])
def test_an_address_is_taken_apart_once(url, scheme, host, port, target):
    address = check_address(url)
    assert (address.scheme, address.host, address.port, address.target) == (scheme, host, port, target)


def test_what_the_owner_configured_may_be_private_and_on_any_port():
    """SRC-6: hosts that the owner configured are exempt; the next port of the same host is not."""
    exempt = frozenset({"127.0.0.1:8123", "localhost:9"})
    assert check_address("http://127.0.0.1:8123/a", exempt=exempt).port == 8123
    assert check_address("http://2130706433:8123/a", exempt=exempt).host == "127.0.0.1"
    assert check_address("http://localhost:9/", exempt=exempt).host == "localhost"
    for url in ("http://127.0.0.1:8124/", "http://127.0.0.2:8123/", "http://127.0.0.1/", "http://user@localhost:9/"):
        with pytest.raises(InputRejected):
            check_address(url, exempt=exempt)


PUBLIC = "8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 192.0.1.0 198.17.255.255 223.255.255.255 11.0.0.0 126.255.255.255 128.0.0.0 169.253.255.255 2606:4700::1 2a00:1450::1 240e::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8"
CLOSED = "9.255.255.255|10.0.0.0 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.255.255.255 172.16.0.0 172.31.255.255 192.168.255.255 198.18.0.0 198.19.255.255 224.0.0.0 239.255.255.255 240.0.0.0 fe80::1 fec0::1 fc00::1 fdff::1 ff0e::1 ::2 100::1 5f00::1 3fff::1 2001:db8::1 2001::1 2001:20::1 2002:808:808::1 ::ffff:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 ::8.8.8.8"


@pytest.mark.parametrize("text", PUBLIC.split())
def test_public_addresses_next_to_every_border(text):
    """SRC-6."""
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", CLOSED.replace("9.255.255.255|", "").split())
def test_closed_addresses_on_every_border(text):
    """SRC-6."""
    assert not is_public(ipaddress.ip_address(text))


@given(st.ip_addresses(v=4))
def test_whatever_python_calls_private_is_closed(ip):
    """SRC-6."""
    if ip.is_private or ip.is_multicast or ip.is_reserved or ip.is_link_local:
        assert not is_public(ip)
    assert is_public(ip) == is_public(ipaddress.ip_address(f"::ffff:{ip}"))


@given(st.ip_addresses(v=6))
def test_an_ipv6_address_is_public_only_where_python_agrees(ip):
    """SRC-6."""
    if is_public(ip):
        assert ip.ipv4_mapped or ip in ipaddress.ip_network("64:ff9b::/96") or not ip.is_private


@given(st.ip_addresses(v=4), st.sampled_from(["{0}", "{0:#o}", "{0:#x}"]))
def test_however_a_number_is_written_it_is_the_same_host(ip, form):
    written = form.format(int(ip)).replace("0o", "0")
    assert parse_address(f"http://{written}/").host == str(ip)


CANONICAL = [
    ("HTTP://WWW.Site.Test:80", "http://www.site.test/"),
    ("https://site.test:443/a", "https://site.test/a"),
    ("https://site.test:8443/a", "https://site.test:8443/a"),
    ("https://site.test/a?utm_source=x&utm_medium=y", "https://site.test/a"),
    ("https://site.test/a?id=7&utm_source=x&page=2", "https://site.test/a?id=7&page=2"),
    ("https://site.test/a?UTM_Source=x&GCLID=1&fbclid=2&mc_cid=3&mc_eid=4&b=5", "https://site.test/a?b=5"),
    ("https://site.test/a?b=2&a=1", "https://site.test/a?b=2&a=1"),
    ("https://site.test/a?b", "https://site.test/a?b"),
    ("https://site.test/a?", "https://site.test/a"),
    ("https://site.test/a?&&b=1&", "https://site.test/a?b=1"),
    ("https://site.test/a?mcx=1&utm=2&gclidx=3", "https://site.test/a?mcx=1&utm=2&gclidx=3"),
    ("https://site.test/a#part", "https://site.test/a"),
    ("https://site.test/a#/route/7?x=1", "https://site.test/a#/route/7?x=1"),
    ("https://site.test/a#!/route", "https://site.test/a#!/route"),
    ("https://site.test/a#:~:text=word", "https://site.test/a"),
    ("https://site.test/a#part:~:text=word", "https://site.test/a"),
    ("https://site.test/a#/route:~:text=word", "https://site.test/a#/route"),
    ("https://site.test/%e4%bd%a0/%41", "https://site.test/%E4%BD%A0/A"),
    ("https://site.test/你", "https://site.test/%E4%BD%A0"),
    ("https://site.test/a%2Fb", "https://site.test/a%2Fb"),
    ("https://site.test/a//b/", "https://site.test/a//b/"),
    ("https://例子.中国", "https://xn--fsqu00a.xn--fiqs8s/"),
    (
        "https://mp.weixin.qq.com/s?__biz=Mz1==&mid=22&idx=1&sn=ab&chksm=c&scene=21#wechat_redirect",
        "https://mp.weixin.qq.com/s?__biz=Mz1==&mid=22&idx=1&sn=ab",
    ),
    (
        "https://mp.weixin.qq.com/s?scene=21&sn=ab&idx=1&mid=22&__biz=Mz1==",
        "https://mp.weixin.qq.com/s?__biz=Mz1==&mid=22&idx=1&sn=ab",
    ),
    (
        "https://mp.weixin.qq.com/s?__biz=Mz1==&amp;mid=22&amp;idx=1&amp;sn=ab#rd",
        "https://mp.weixin.qq.com/s?__biz=Mz1==&mid=22&idx=1&sn=ab",
    ),
    ("https://mp.weixin.qq.com/s/AbC-_9?scene=1&from=x", "https://mp.weixin.qq.com/s/AbC-_9"),
    # An address without the four says which article by other names: they stay.
    (
        "https://mp.weixin.qq.com/s?src=11&timestamp=1&ver=2&signature=z",
        "https://mp.weixin.qq.com/s?src=11&timestamp=1&ver=2&signature=z",
    ),
    ("https://other.test/s?__biz=1&mid=2&idx=3&sn=4&chksm=5", "https://other.test/s?__biz=1&mid=2&idx=3&sn=4&chksm=5"),
    ("https://site.test/video/1?spm_id_from=333.1&vd_source=ff&p=2", "https://site.test/video/1?p=2"),
]


@pytest.mark.parametrize(("url", "expected"), CANONICAL, ids=[c[0][-40:] for c in CANONICAL])
def test_the_canonical_address(url, expected):
    """SRC-7."""
    assert canonical_address(url) == expected
    assert canonical_address(expected) == expected


@given(
    st.builds(
        "https://site.test/{}?{}#{}".format,
        *[st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)] * 3,
    )
)
def test_an_address_has_one_canonical_form(url):
    """SRC-7."""
    once = canonical_address(url)
    assert canonical_address(once) == once
    assert once.isascii()


HINTS = [
    ("https://site.test/a", None),
    ("https://site.test/a#part", None),
    ("https://site.test/a#:~:text=", None),
    ("https://site.test/a#:~:text=one%20word", "one word"),
    ("https://site.test/a#:~:text=%E6%8A%A5%E5%90%8D%E6%97%B6%E9%97%B4", "报名时间"),
    ("https://site.test/a#part:~:text=here", "here"),
    ("https://site.test/a#:~:text=before-,here", "here"),
    ("https://site.test/a#:~:text=here,-after", "here"),
    ("https://site.test/a#:~:text=from%20here,to%20there", "from here … to there"),
    ("https://site.test/a#:~:text=before-,from,to,-after", "from … to"),
    ("https://site.test/a#:~:text=one&text=two", "one\ntwo"),
    ("https://site.test/a#:~:selector=x&text=two", "two"),
    ("https://site.test/a#:~:text=a%2Cb%2Dc", "a,b-c"),
    ("https://site.test/a#:~:text=%FF%00%E2%80%AEx", "\ufffd x"),
    ("https://site.test/a?text=no#:~:other=x", None),
]


@pytest.mark.parametrize(("url", "expected"), HINTS, ids=[h[0][20:] for h in HINTS])
def test_the_words_of_a_text_fragment_are_a_hint(url, expected):
    """SRC-7."""
    assert text_hint(url) == expected


def test_a_hint_has_a_length():
    assert len(text_hint("https://site.test/#:~:text=" + "a" * 3_000)) == 500


LINKS = [
    ("没有链接", []),
    ("https://site.test", ["https://site.test"]),
    ("看这个 https://site.test/a 讲要点", ["https://site.test/a"]),
    ("看这个https://site.test/a，讲要点", ["https://site.test/a"]),
    ("（https://site.test/a）", ["https://site.test/a"]),
    (
        "【https://site.test/a】《https://site.test/b》「https://site.test/c」",
        ["https://site.test/a", "https://site.test/b", "https://site.test/c"],
    ),
    (
        "https://site.test/a。https://site.test/b；https://site.test/c、",
        ["https://site.test/a", "https://site.test/b", "https://site.test/c"],
    ),
    ("“https://site.test/a”！", ["https://site.test/a"]),
    ("https://site.test/a？讲什么", ["https://site.test/a"]),
    ("https://site.test/a讲了什么", ["https://site.test/a"]),
    ("https://site.test讲了什么", ["https://site.test"]),
    ("https://site.test/讲了什么", ["https://site.test/"]),
    ("https://zh.site.test/wiki/北京", ["https://zh.site.test/wiki/北京"]),
    ("https://zh.site.test/wiki/C语言，", ["https://zh.site.test/wiki/C语言"]),
    ("https://site.test/tag/读书/2?q=书&n=1", ["https://site.test/tag/读书/2?q=书&n=1"]),
    ("https://例子.中国/a", ["https://例子.中国/a"]),
    ("See https://site.test/a. Then", ["https://site.test/a"]),
    ("(see https://site.test/a)", ["https://site.test/a"]),
    ("https://site.test/Foo_(bar)", ["https://site.test/Foo_(bar)"]),
    ("(https://site.test/Foo_(bar)).", ["https://site.test/Foo_(bar)"]),
    ("[words](https://site.test/a)", ["https://site.test/a"]),
    ("<https://site.test/a>", ["https://site.test/a"]),
    ('"https://site.test/a", and', ["https://site.test/a"]),
    ("https://site.test/a?b=1&c=2#d!", ["https://site.test/a?b=1&c=2#d"]),
    ("https://site.test/a?x=YQ==", ["https://site.test/a?x=YQ=="]),
    ("HTTPS://Site.test/A", ["HTTPS://Site.test/A"]),
    ("www.site.test/a", ["https://www.site.test/a"]),
    ("看www.site.test，", ["https://www.site.test"]),
    ("www.", []),
    ("www.site", []),
    ("me@www.site.test", []),
    ("awww.site.test", []),
    ("http://user:pw@site.test/", ["http://user:pw@site.test/"]),
    ("http://[::1]:80/x", ["http://[::1]:80/x"]),
    ("http://１２７.０.０.１/", ["http://１２７.０.０.１/"]),
    ("https://a.test/x,https://b.test/y", ["https://a.test/x", "https://b.test/y"]),
    ("https://a.test/xhttps://b.test/y", ["https://a.test/x", "https://b.test/y"]),
    ("https://a.test/?u=https://b.test/", ["https://a.test/?u=https://b.test/"]),
    ("https://site.test/a\nhttps://site.test/a", ["https://site.test/a", "https://site.test/a"]),
    ("https://", []),
    ("😀https://site.test/a😀", ["https://site.test/a"]),
    ("https://site.test/a\u200b", ["https://site.test/a"]),
    ("ftp://site.test/a", []),
]


@pytest.mark.parametrize(("text", "expected"), LINKS, ids=[ascii(t[0])[:50] for t in LINKS])
def test_links_in_a_message(text, expected):
    """CHT-9: what is a link decides what is made of a message."""
    found = find_links(text)
    assert [url for _, _, url in found] == expected
    for start, end, url in found:
        assert text[start:end] in (url, url.removeprefix("https://"))


@given(st.text(alphabet="htps:/w.aA0中，(）)[]#?=&_- \n", max_size=300))
def test_links_are_in_order_and_apart(text):
    last = 0
    for start, end, _ in find_links(text):
        assert last <= start < end <= len(text)
        last = end


@pytest.mark.parametrize("unit", ["a", ")", "，", "北", "/_北", "http", "https://", "www.", "a.北", ".,", ",", "|"])
def test_a_long_message_takes_no_longer_than_its_length(unit):
    """A quarter of a million characters; a quadratic way of reading takes minutes here, this a fraction of a second."""
    started = time.process_time()
    find_links("https://a.test/" + unit * (250_000 // len(unit)))
    assert time.process_time() - started < 2


REDIRECTS = [
    ("/b", "https://site.test/b"),
    ("b?c", "https://site.test/a/b?c"),
    ("//other.test/x", "https://other.test/x"),
    ("http://other.test/", "http://other.test/"),
    ("/with space", "https://site.test/with%20space"),
    ("?q", "https://site.test/a/here?q"),
    ("file:///etc/hosts", "file:///etc/hosts"),
    ("", "https://site.test/a/here"),
]


@pytest.mark.parametrize(("location", "expected"), REDIRECTS)
def test_where_a_redirect_leads(location, expected):
    assert redirected(parse_address("https://site.test/a/here"), location) == expected


def test_a_redirect_that_is_no_address_is_refused():
    with pytest.raises(InputRejected):
        redirected(parse_address("https://site.test/"), "//[::1")
