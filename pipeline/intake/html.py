"""A web page → its article, or a clear no (rules SRC-3, SRC-5, SRC-8).

Guards come first: what a reader cannot see leaves the tree (kept in ``removed``), struck-out text is no evidence, and
an error, login or challenge page is BLOCKED_PAGE and never a source. The article is then found by trafilatura; a page
it cannot read is taken from WeChat's own container. What was lost of the main container is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import version
from itertools import groupby
from typing import Any

import trafilatura
from lxml import etree, html

from pipeline.domain.errors import InputRejected
from pipeline.domain.evidence import count_tokens
from pipeline.domain.source import BlockKind, Extraction, InputType, Quality, ReadHints, Reason, Removed, SourceLimits
from pipeline.intake.decode import decode
from pipeline.intake.structure import Draft, heading_level
from pipeline.intake.tree import Piece, pieces

_NEVER_SHOWN = ("script", "style", "noscript", "template", "iframe", "object", "svg", "select", "textarea", "button")
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)"
    r"|(?:left|top|right|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_STRUCK = ("del", "s", "strike")
_WECHAT = "js_content"
_MAX_REMOVED, _MAX_REMOVED_CHARS = 200, 2_000

# Sentences of pages that are not the article. They count only on a page with little else on it.
_BLOCKED = re.compile(
    "该内容已被发布者删除|内容已被(?:发布者|作者)?删除|此内容因违规无法查看|此内容被投诉|无法查看此内容"
    "|该公众号已迁移|已停止访问该网页"
    "|该页面不存在|页面(?:不存在|已删除|走丢了)|文章(?:已删除|不存在|已下架)|你访问的页面|您访问的页面"
    "|请(?:先)?登录后(?:查看|阅读|继续|访问)|登录后(?:才能|即可|可)?(?:查看|阅读)|请完成(?:安全)?验证|安全验证"
    "|环境异常|访问过于频繁|访问异常"
    "|请输入验证码|拖动滑块|开启\\s*JavaScript|启用\\s*JavaScript|人机验证|内容已被刪除|請先登入|頁面不存在"
    "|請完成驗證"
    "|just a moment|checking your browser|enable javascript|javascript is (?:disabled|required)"
    "|verify (?:that )?you are (?:a )?human"
    "|are you a robot|access denied|attention required|unusual traffic|captcha|too many requests|page not found"
    "|404 not found"
    "|(?:sign|log) in to (?:continue|view|read)|please (?:sign|log) in|subscribe to (?:continue|read)"
    "|content (?:is )?(?:unavailable|not available)"
    "|this account has been suspended",
    re.IGNORECASE,
)
_LITTLE_TOKENS = 200
_MIN_ARTICLE = 20
_MIN_PROSE = 100
_LINK_LIST = 4  # links in a row
_SOUP = 3  # pieces of a page that cannot be one paragraph together


def extract_html(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a page.

    Raises:
        InputRejected: UNDECODABLE, BLOCKED_PAGE, NO_TEXT or BROKEN.
    """
    markup, codec = decode(data, declared=hints.charset, markup=True)
    tree = _parse(markup)
    title = _title(tree)
    removed = _remove_unseen(tree)
    whole = pieces(tree.find("body")) if tree.find("body") is not None else []
    article, extractor = _article(tree, whole)
    _refuse_blocked(whole, article, title)
    if sum(len(p.text) for p in article) < _MIN_ARTICLE:
        raise InputRejected(Reason.NO_TEXT)
    draft = Draft()
    for piece in article:
        block, level = piece.kind, piece.level
        if block is BlockKind.PARAGRAPH and (level := heading_level(piece.text)):
            block = BlockKind.HEADING
        draft.add(block, piece.text, level)
    raw, text, offsets, blocks = draft.build()
    kept = _kept_share(tree, whole, article)
    return Extraction(
        title=title or name.rsplit(".", 1)[0],
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.LOSSY if kept < 0.9 else Quality.FULL,
        extractor=extractor,
        codec=codec,
        removed=tuple(removed),
        notes=(f"lossy:{round(100 * (1 - kept))}",) if kept < 0.9 else (),
    )


def _parse(markup: str) -> Any:
    markup = re.sub(r"^\s*<\?xml[^>]*\?>", "", markup, count=1).replace("\0", "")
    try:
        tree = html.document_fromstring(markup, parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    except (etree.ParserError, ValueError) as error:
        raise InputRejected(Reason.BROKEN, str(error)) from error
    return tree


def _title(tree: Any) -> str:
    """The page's own name for itself: WeChat's heading, og:title, a single h1, ``<title>``, in this order."""
    ways = (
        "//*[@id='activity-name']",
        "//meta[@property='og:title']/@content",
        "//meta[@name='twitter:title' or @property='twitter:title']/@content",
        "//h1",
        "//title",
    )
    for way in ways:
        found = tree.xpath(way)
        if way == "//h1" and len(found) != 1:
            continue
        for hit in found[:1]:
            text = " ".join((hit if isinstance(hit, str) else "".join(hit.itertext())).split())
            if text:
                return text[:300]
    return ""


def _remove_unseen(tree: Any) -> list[Removed]:
    """Take out what a reader does not see or the author struck out; return its text for the ledger (rule SRC-8)."""
    removed: list[Removed] = []
    shown = {el for seen in tree.xpath(f"//*[@id='{_WECHAT}']") for el in (seen, *seen.iterancestors())}
    etree.strip_elements(tree, etree.Comment, *_NEVER_SHOWN, with_tail=False)
    for element in list(tree.iter()):
        if element in shown or not isinstance(element.tag, str) or element.getparent() is None:
            continue
        if element.tag in _STRUCK or element.tag not in ("body", "html") and _unseen(element):
            text = " ".join("".join(element.itertext()).split())
            if len(text) > 1 and len(removed) < _MAX_REMOVED:
                why = "deleted" if element.tag in _STRUCK else "hidden"
                removed.append(Removed(why, text[:_MAX_REMOVED_CHARS]))
            element.drop_tree()
    return removed


def _unseen(element: Any) -> bool:
    return (
        "hidden" in element.attrib
        or element.get("aria-hidden", "").lower() == "true"
        or bool(_HIDDEN_STYLE.search(element.get("style", "")))
    )


def _article(tree: Any, whole: list[Piece]) -> tuple[list[Piece], str]:
    """Find the main text: WeChat's container where there is one, else trafilatura, looked at twice.

    Trafilatura sometimes takes the list of other articles for the article, or all of the page as one paragraph
    (pitfalls W5, W6). When some part of the page holds more than four times its prose, that part is the article.
    """
    for container in tree.xpath(f"//*[@id='{_WECHAT}']"):
        found = pieces(container)
        if sum(len(p.text) for p in found) >= _MIN_ARTICLE:
            return found, "wechat 1"
    name = f"trafilatura {version('trafilatura')}"
    found = []
    for recall in (False, True):
        document = trafilatura.bare_extraction(
            html.tostring(tree, encoding="unicode"),
            include_comments=False,
            include_tables=True,
            include_formatting=False,
            favor_recall=recall,
            with_metadata=False,
        )
        body = getattr(document, "body", None)
        found = pieces(body) if body is not None else []
        if sum(len(p.text) for p in found) >= _MIN_ARTICLE:
            break
    found = _without_link_lists(found, whole)
    dense = _densest(tree, whole)
    return (dense, "densest part 1") if _misread(found, whole, dense) else (found, name)


def _misread(found: list[Piece], whole: list[Piece], dense: list[Piece]) -> bool:
    text = _squeezed("".join(p.text for p in found))
    kept = [piece for piece in whole if _squeezed(piece.text) in text]
    prose = sum(len(piece.text) for piece in dense if piece.prose)
    soup = len(found) == 1 and len(kept) > _SOUP and found[0].kind is not BlockKind.TABLE
    missed = prose > 4 * sum(len(p.text) for p in kept if p.prose) and prose > sum(len(p.text) - p.linked for p in kept)
    return prose >= _MIN_PROSE and (soup or missed)


def _without_link_lists(found: list[Piece], whole: list[Piece]) -> list[Piece]:
    """Leave out runs of pieces that are nothing but links; one linked line inside an article stays (pitfall W7)."""
    links = {_squeezed(piece.text) for piece in whole if piece.linked > len(piece.text) / 2}
    left: list[Piece] = []
    for linked, run in groupby(found, key=lambda piece: _squeezed(piece.text) in links):
        its = list(run)
        left += [] if linked and len(its) >= _LINK_LIST else its
    return left


def _densest(tree: Any, whole: list[Piece]) -> list[Piece]:
    """The pieces of the deepest element that holds most of the page's prose, lists of links left out."""
    container = _deepest(tree, _below((piece, len(piece.text)) for piece in whole if piece.prose))
    return [p for p in pieces(container) if p.linked <= len(p.text) / 2] if container is not None else []


def _below(sized: Iterable[tuple[Piece, int]]) -> dict[Any, int]:
    """Sum of the sizes of the pieces below each element."""
    totals: dict[Any, int] = {}
    for piece, size in sized:
        if piece.element is not None:
            for element in (piece.element, *piece.element.iterancestors()):
                totals[element] = totals.get(element, 0) + size
    return totals


def _deepest(tree: Any, totals: dict[Any, int]) -> Any:
    """The deepest element that still holds four fifths of the whole; None when there is nothing."""
    whole = totals.get(tree, 0)
    if not whole:
        return None
    container = tree
    while True:
        inner = next((child for child in container if totals.get(child, 0) >= 0.8 * whole), None)
        if inner is None:
            return container
        container = inner


def _refuse_blocked(whole: list[Piece], article: list[Piece], title: str) -> None:
    """A short page that is about being blocked, or an empty one that says so anywhere, is no article."""
    main = "\n".join(piece.text for piece in article)
    beside = "\n".join(piece.text for piece in article if not _BLOCKED.search(piece.text))
    short = count_tokens(main) < _LITTLE_TOKENS and count_tokens(beside) < _LITTLE_TOKENS // 2
    found = (_BLOCKED.search(main) or _BLOCKED.search(title)) if short else None
    if len(main) < _MIN_ARTICLE:
        found = found or _BLOCKED.search("\n".join([title, *(piece.text for piece in whole)]))
    if found:
        raise InputRejected(Reason.BLOCKED_PAGE, sign=found.group())


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _kept_share(tree: Any, whole: list[Piece], article: list[Piece]) -> float:
    """Share of the main container's prose that the article kept (rule SRC-3).

    The main container is the deepest element that still holds four fifths of what was kept.
    """
    text = _squeezed("".join(p.text for p in article))
    prose = [(piece, _squeezed(piece.text)) for piece in whole if piece.prose]
    kept = _below((piece, len(words)) for piece, words in prose if words in text)
    container = _deepest(tree, kept)
    if container is None:
        return 1.0
    return kept[container] / _below((piece, len(words)) for piece, words in prose)[container]
