"""When a page has changed: its main text differs, counters and clocks apart (rule SRC-3, pitfall W15).

A date by itself counts: a notice whose date was altered is another notice.
"""

from __future__ import annotations

import hashlib
import re
from difflib import SequenceMatcher

from pipeline.domain.text import fold

_MAX_VOLATILE = 40  # characters; a whole sentence that mentions readers is a sentence
_VOLATILE = re.compile(
    "(?:阅读|閱讀|浏览|瀏覽|点击|點擊|播放|点赞|點讚|在看|喜欢|收藏|评论|評論|转发|转载|分享|访问|订阅|粉丝|关注|跟帖)"
    r"(?:量|数|次数|人数)?\s*[:：(（]?\s*[\d.,]+\s*[万萬亿wWkK+]?"
    r"|[\d.,]+\s*[万萬亿wWkK+]?\s*(?:次|人)?(?:阅读|閱讀|浏览|点击|播放|点赞|评论|評論|转发|收藏|跟帖)"
    r"|\d+\s*(?:秒|分钟|小时|天|个月|年)前|刚刚|剛剛"
    r"|[\d.,]+[kKmM]?\s*(?:views?|reads?|likes?|comments?|shares?|followers?)\b"
    r"|(?:\d+|an?)\s*(?:seconds?|minutes?|hours?|days?|weeks?|months?)\s+ago"
    r"|(?:更新|发布|发表|时间|时间戳|updated|published)?\s*(?:时间|于|at|on)?\s*[:：]?\s*"
    r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\s*\d{1,2}:\d{2}(?::\d{2})?",
    re.IGNORECASE,
)
_LEFT = re.compile(r"[\s|·•,，。:：()（）\-–—]+")


def main_sha256(text: str) -> str:
    """SHA-256 of the main text of a canonical text: folded, white space apart, without counters and clocks."""
    return hashlib.sha256("\n".join(_lines(text)).encode()).hexdigest()


def changes(old: str, new: str) -> tuple[int, int]:
    """``(lines that came, lines that went)`` between two canonical texts, by their main lines."""
    before, after = _lines(old), _lines(new)
    came = went = 0
    for tag, low, high, start, end in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if tag != "equal":
            went += high - low
            came += end - start
    return came, went


def _lines(text: str) -> list[str]:
    return [squeezed for line in text.split("\n") if (squeezed := "".join(_steady(line).split()))]


def _steady(line: str) -> str:
    folded = fold(line)[0]
    if len(folded) > _MAX_VOLATILE or not (found := _VOLATILE.search(folded)):
        return folded
    rest = folded[: found.start()] + folded[found.end() :]
    while found := _VOLATILE.search(rest):
        rest = rest[: found.start()] + rest[found.end() :]
    return rest if _LEFT.sub("", rest) else ""
