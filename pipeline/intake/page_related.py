"""What stands around an article and is none of it: lists of other articles, the way to the page, the imprint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pipeline.intake.tree import Piece

_MAX_HEADING = 40
_MAX_IMPRINT = 200
_MIN_BEFORE = 60  # characters of article before such a heading: at the top it may be the page's subject
_SAYS = re.compile(
    "(?:相关|相關|推荐|推薦|延伸|拓展|热门|熱門|往期|精彩|更多|最新)"
    "(?:阅读|閱讀|文章|新闻|新聞|推荐|推薦|链接|报道|報道|内容|资讯|精选|回顾|专题|视频|帖子)(?:推荐)?$"
    "|(?:为|給|给)(?:你|您)推荐|猜你喜欢|(?:你|您)(?:可能|也许)(?:还|也)?(?:会)?(?:喜欢|感兴趣|想看)"
    "|大家都在看|看了(?:本|又).{0,6}看|相关(?:阅读)?$"
    "|(?:related|recommended|popular|latest|trending|more)(?: \\w+)? "
    "(?:posts|articles|stories|news|reading|content|links|videos|topics)$"
    "|you (?:may|might) (?:also )?(?:like|enjoy)|read next|more (?:from|on) |most (?:read|popular)"
    "|recommended(?: for you)?$|trending(?: now)?$",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?:您|你)?(?:的)?(?:当前|现在|所在|目前)?(?:所在)?的?位置\s*[:：]"
    r"|[^>»›]{1,12}+(?:[>»›][^>»›]{1,20}+){2,}+[>»›\s]*+$"
)
_IMPRINT = re.compile(
    r"版权所有|版權所有|copyright\s*(?:©|\(c\)|\d{4})|[©Ⓒ]\s*(?:copyright|\d{4})|all rights reserved"
    r"|ICP备|公网安备|公安网备",
    re.IGNORECASE,
)
_NAMED = re.compile(r"relat(?:ed|ion)|recommend|youmaylike|alsolike|readmore|xiangguan|tuijian", re.IGNORECASE)


def without_related(whole: Sequence[Piece], kept: Sequence[int]) -> list[int]:
    """Return ``kept`` without the part of the page that such a heading opens."""
    left = list(kept)
    before = 0
    for index in kept:
        piece = whole[index]
        if before >= _MIN_BEFORE and _opens(piece):
            part = _part(piece, whole)
            left = [i for i in left if i < index or whole[i].element not in part]
        elif piece.prose:
            before += len(piece.text)
    return left


def without_frame(whole: Sequence[Piece], kept: Sequence[int]) -> list[int]:
    """Return ``kept`` without the breadcrumbs above the article, and from a line of imprint below it on."""
    left = list(kept)
    while left and _PATH.match(whole[left[0]].text):
        del left[0]
    for place, index in enumerate(left):
        text = whole[index].text
        if place and len(text) <= _MAX_IMPRINT and _IMPRINT.search(text):
            rest = sum(len(whole[i].text) for i in left[place + 1 :] if whole[i].prose)
            before = sum(len(whole[i].text) for i in left[:place])
            if rest < _MIN_BEFORE <= before:
                return left[:place]
    return left


def _opens(piece: Piece) -> bool:
    text = piece.text.strip("：:·|>»→ \u3000【】[]")
    if len(text) > _MAX_HEADING or piece.prose and len(text) > _MAX_HEADING / 2:
        return False
    if _SAYS.match(text):
        return True
    named = f"{piece.element.get('class') or ''} {piece.element.get('id') or ''}"
    return bool(piece.level) and bool(_NAMED.search(named))


def _part(piece: Piece, whole: Sequence[Piece]) -> set[Any]:
    """Everything below the smallest element that holds more than the heading itself."""
    element = piece.element
    others = {id(p.element) for p in whole if p is not piece}
    while (above := element.getparent()) is not None and above.tag != "body":
        members = set(above.iter())
        if any(id(member) in others for member in members):
            return members
        element = above
    return set(element.iter())
