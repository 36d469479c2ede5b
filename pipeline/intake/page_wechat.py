r"""What WeChat's share pages keep in a script instead of the page: read by name, never executed.

A shared text or a set of pictures has no ``#js_content``: its words stand as ``content_noencode: JsDecode('…')`` in
``window.cgiDataNew``, with ``\x0a`` and HTML inside, and its pictures as ``cdn_url`` in ``picture_page_info_list``.
Where those are missing, ``og:description`` holds the text, and for a shared text ``og:title`` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

_CONTENT = re.compile(r"content_noencode\s*:\s*JsDecode\(\s*(['\"])")
_OLD_CONTENT = re.compile(r"ContentNoEncode\s*=\s*window\.a_value_which_never_exists\s*\|\|\s*(['\"])")
_PICTURES = re.compile(r"picture_page_info_list\s*[:=]\s*\[")
# An entry of the list itself: each holds further addresses (watermark, cover) deeper in.
_PICTURE = re.compile(
    r"[\[,]\s*\{\s*(?:\w+\s*:\s*['\"]?\d{0,6}['\"]?(?:\s*\*\s*1)?\s*,\s*)*cdn_url\s*:\s*(?:JsDecode\(\s*)?"
    r"(['\"])(https?://[^'\"\s]{1,1000})\1"
)
_QUOTED = {"'": re.compile(r"[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"), '"': re.compile(r'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))")
_KIND = re.compile(r"item_show_type\s*=\s*['\"](\d{1,3})['\"]")
_ALONE = frozenset(("8", "10"))  # pictures, a text
_SIGNS = ("cgiData", "item_show_type")
_A_BODY = 2_000  # characters, scripts of a share page's empty container included
_MAX_TEXT = 1_000_000
_PICTURES_AT_MOST = 40
_PLAIN = {"n": "\n", "r": "", "t": "\t"}


@dataclass(frozen=True)
class Shared:
    """The body as HTML, and the addresses of its pictures; ``alone``: the page itself holds nothing but chrome."""

    body: str
    pictures: tuple[str, ...]
    alone: bool


def shared(tree: Any) -> Shared | None:
    """Return what a share page says; None for any other page, an article with its text in the page included.

    Call it before scripts leave the tree.
    """
    if any(len("".join(body.itertext())) > _A_BODY for body in tree.xpath("//*[@id='js_content']")):
        return None
    scripts = [s.text for s in tree.iter("script") if s.text and any(sign in s.text for sign in _SIGNS)]
    if not scripts or not _from_wechat(tree):
        return None
    body = next((text for script in scripts for text in _texts(script)), "") or _described(tree)
    kinds = {match.group(1) for script in scripts for match in _KIND.finditer(script)}
    return Shared(body, _pictures(scripts), bool(kinds & _ALONE)) if body.strip() else None


def _from_wechat(tree: Any) -> bool:
    return bool(
        tree.xpath(
            "boolean(//meta[@property='og:site_name' and contains(@content, '微信公众平台')]"
            " | //script[contains(@src, 'res.wx.qq.com')] | //link[contains(@href, 'res.wx.qq.com')])"
        )
    )


def _texts(script: str) -> list[str]:
    found = []
    for way in (_CONTENT, _OLD_CONTENT):
        for match in way.finditer(script):
            quoted = _QUOTED[match.group(1)].match(script, match.end(), match.end() + _MAX_TEXT)
            text = _decoded(quoted.group()[:-1]) if quoted else ""
            if text.strip():
                found.append(text.replace("\n", "<br>"))
    return found


def _decoded(text: str) -> str:
    r"""Undo ``\x0a`` and its kind, once: what comes out is HTML of the author's, and is read as such."""

    def plain(match: re.Match[str]) -> str:
        code = match.group(1) or match.group(2)
        return chr(int(code, 16)) if code else _PLAIN.get(match.group(3), match.group(3))

    return _ESCAPE.sub(plain, text)


def _described(tree: Any) -> str:
    """The page's description of itself, or its title: a shared text has no other."""
    for name in ("og:description", "og:title"):
        for value in tree.xpath("//meta[@property=$name]/@content", name=name):
            if text := _decoded(str(value)).strip():
                return text.replace("\n", "<br>")
    return ""


def _pictures(scripts: list[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for script in scripts:
        for start in _PICTURES.finditer(script):
            for match in _PICTURE.finditer(script, start.end() - 1, start.end() + 200_000):
                found.setdefault(unescape(_decoded(match.group(2))))
        if found:
            break
    return tuple(found)[:_PICTURES_AT_MOST]
