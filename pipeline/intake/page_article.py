"""Which pieces of a page are its article. Trafilatura judges, the page's own pieces are the text.

Trafilatura's result loses what evidence needs (numbers of lists, spans of tables, short clauses, pictures), so it only
points: its words are found again among the page's pieces, and those are kept. Then what it left out between two kept
neighbours comes back (pitfall W7), and lists of other articles leave. Where it took a list of teasers, or the whole
page as one paragraph, the part of the page with the prose is the article (pitfalls W5, W6).
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import version
from itertools import groupby
from typing import Any

import trafilatura
from lxml import etree

from pipeline.domain.source import BlockKind
from pipeline.intake.page_container import below, deepest, inside, main_element, within
from pipeline.intake.page_related import without_frame, without_related
from pipeline.intake.tree import Piece, pieces

MIN_ARTICLE = 20  # characters
_MIN_PROSE = 100
_NEAR = 12  # pieces between a headline and the first paragraph
_LINK_LIST = 4  # links in a row
_SOUP = 3  # pieces of a page that cannot be one paragraph together
_LONG_KEY = 12  # a shorter piece must be found as a whole piece, not inside another
_SHINGLE = 8
_MAX_ELEMENTS = 80_000  # of a page that trafilatura is asked about: beyond, its time grows with the square
_MAX_INLINE = etree.XPath("boolean(//*[count(b|i|em|strong|span|font|br|a|code|u|sup|sub) > 3000])")
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:share|social|breadcrumbs?|nav|menu|footer|advert\w*|ads?|promo\w*|newsletter|comments?|tags?"
    r"|toolbar|copyright|related|recommend\w*|gallery|slideshow|carousel|sidebar|disclaimer|legal)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_WITHIN_BLOCK = frozenset("a b strong em i span font u code mark sup sub small".split())
_GROUPS = frozenset("table ul ol dl blockquote figure center pre".split())
_OUTSIDE = frozenset("nav footer form aside menu".split())


def find_article(tree: Any, whole: Sequence[Piece]) -> tuple[list[int], str]:
    """Return the indexes of the article's pieces, ascending, and the name and version of who found them."""
    found = _asked(tree)
    kept = _matched(found, whole)
    dense = _densest(tree, whole)
    if found and not _misread(found, kept, dense, whole):
        kept, name = _filled(tree, whole, kept), _judge()
    else:
        kept, name = dense, "densest part 2"
    kept = without_related(whole, _without_link_lists(whole, kept))
    return without_frame(whole, _without_scraps(tree, whole, kept)), name


def size(whole: Sequence[Piece], kept: Iterable[int]) -> int:
    return sum(len(whole[index].text) for index in kept)


@cache
def _judge() -> str:
    return f"trafilatura {version('trafilatura')}"  # reads the package's metadata: as slow as a small page


def _asked(tree: Any) -> list[Piece]:
    """Trafilatura's pieces, with its wider net when the first catches next to nothing; none of a monstrous page."""
    if tree.xpath("count(//*)") > _MAX_ELEMENTS or _MAX_INLINE(tree):
        return []
    found: list[Piece] = []
    for recall in (False, True):
        document = trafilatura.bare_extraction(
            copy.deepcopy(tree),
            include_comments=False,
            include_tables=True,
            include_formatting=False,
            favor_recall=recall,
            with_metadata=False,
        )
        body = getattr(document, "body", None)
        found = pieces(body) if body is not None else []
        if sum(len(p.text) for p in found) >= MIN_ARTICLE:
            break
    return found


def _matched(found: Sequence[Piece], whole: Sequence[Piece]) -> list[int]:
    """Indexes of the page's pieces whose words the result holds."""
    keys = [piece.key for piece in whole]
    exact = Counter(piece.key for piece in found)
    text = "".join(piece.key for piece in found)
    shingles = {text[at : at + _SHINGLE] for at in range(len(text) - _SHINGLE + 1)} if len(text) < 300_000 else set()
    kept: list[int] = []
    at = 0
    for index, key in enumerate(keys):
        if exact[key] or _inside(key, text, at, shingles):
            kept.append(index)
            at = max(at, text.find(key, at, at + 50_000))
    return _once(kept, keys, exact, text)


def _inside(key: str, text: str, at: int, shingles: set[str]) -> bool:
    """Whether a piece stands inside a longer one of the result, or most of it does (an inline part was dropped)."""
    if len(key) < _LONG_KEY:
        return False
    if text.find(key, at) >= 0 if len(text) > 300_000 else key in text:
        return True
    own = [key[at : at + _SHINGLE] for at in range(0, len(key) - _SHINGLE + 1, _SHINGLE // 2)]
    return len(key) >= 2 * _SHINGLE and sum(part in shingles for part in own) >= 0.6 * len(own)


def _once(kept: list[int], keys: list[str], exact: Counter[str], text: str) -> list[int]:
    """Of pieces with the same words keep as many as the result has, those nearest to the unique ones first."""
    places: dict[str, list[int]] = {}
    for index in kept:
        places.setdefault(keys[index], []).append(index)
    alone = [indexes[0] for indexes in places.values() if len(indexes) == 1]
    low, high = (alone[0], alone[-1]) if alone else (0, len(keys))
    out: list[int] = []
    for key, indexes in places.items():
        out += sorted(indexes, key=lambda i: max(low - i, i - high, 0))[: max(exact[key], 1)]
    return sorted(out)


def _misread(found: Sequence[Piece], kept: Sequence[int], dense: Sequence[int], whole: Sequence[Piece]) -> bool:
    if not kept:
        return True
    prose = sum(len(whole[i].text) for i in dense if whole[i].prose)
    soup = len(found) == 1 and len(kept) > _SOUP and found[0].kind is not BlockKind.TABLE
    read = sum(len(whole[i].text) for i in kept if whole[i].prose)
    missed = prose > 4 * read and prose > sum(len(whole[i].text) - whole[i].linked for i in kept)
    return prose >= _MIN_PROSE and (soup or missed)


def _filled(tree: Any, whole: Sequence[Piece], kept: list[int]) -> list[int]:
    """Add what stands between kept pieces, beside them, and is no furniture: clauses, headings, tables, code."""
    if len(kept) < 2:
        return kept
    container = main_element(tree, whole, kept)
    parents = {_parent(whole[i]) for i in kept}
    chosen = set(kept)
    for index in range(_headline(whole, kept[0], container) + 1, kept[-1]):
        piece = whole[index]
        if index < kept[0] and piece.prose and _belongs(piece, container):
            chosen.add(index)  # the standfirst
        beside = _parent(piece) in parents or _is_caption(piece) or piece.kind is BlockKind.TABLE
        if index not in chosen and beside and _belongs(piece, container):
            chosen.add(index)
    return sorted(chosen)


def _headline(whole: Sequence[Piece], first: int, container: Any) -> int:
    """The index of the heading above the article, inside its element; ``first`` itself when there is none near."""
    near = range(max(0, first - _NEAR), first)
    return next((i for i in reversed(near) if whole[i].level == 1 and inside(whole[i].element, container)), first)


def _parent(piece: Piece) -> Any:
    """The element that holds the piece's block, or its list: two paragraphs of one article have it in common."""
    element = piece.element
    while element is not None and element.tag in _WITHIN_BLOCK:
        element = element.getparent()
    above = element.getparent() if element is not None else None
    while above is not None and above.tag in _GROUPS:
        above = above.getparent()
    return above


def _is_caption(piece: Piece) -> bool:
    """The words below a picture: marked by their element or by the name that editors give it."""
    near = [piece.element, *list(piece.element.iterancestors())[:2]]
    return any(el.tag in ("figcaption", "caption") or "caption" in (el.get("class") or "").split() for el in near)


def _belongs(piece: Piece, container: Any) -> bool:
    if _is_link(piece) and not _is_statement(piece.text):
        return False
    for element in (piece.element, *piece.element.iterancestors()):
        if element is container:
            return True
        if element.tag in _OUTSIDE or _FURNITURE.search(f"{element.get('class') or ''} {element.get('id') or ''}"):
            return False
    return True


def _is_link(piece: Piece) -> bool:
    return piece.linked > len(piece.text) / 2


def _is_statement(text: str) -> bool:
    """A linked line that ends as a sentence is said; headlines of other articles end with a question or not at all."""
    return text[-1:] in "。；.;"


def _without_link_lists(whole: Sequence[Piece], kept: list[int]) -> list[int]:
    """Leave out runs of pieces that are nothing but links; one linked line inside an article stays (pitfall W7)."""
    left: list[int] = []
    for linked, run in groupby(kept, key=lambda i: _is_link(whole[i])):
        its = list(run)
        left += [] if linked and len(its) >= _LINK_LIST else its
    return left


def _without_scraps(tree: Any, whole: Sequence[Piece], kept: list[int]) -> list[int]:
    """Leave out what trafilatura picked up behind the element of the article, unless it reads like sentences."""
    container = main_element(tree, whole, kept)
    last = max((i for i in kept if inside(whole[i].element, container)), default=-1)
    return [i for i in kept if i <= last or whole[i].prose]


def _densest(tree: Any, whole: Sequence[Piece]) -> list[int]:
    """The pieces of the deepest element that holds most of the page's prose, links left out."""
    container = deepest(tree, below((piece, len(piece.text)) for piece in whole if piece.prose))
    if container is None:
        return []
    return [i for i in within(whole, container) if not _is_link(whole[i]) or _is_statement(whole[i].text)]


def kept_share(tree: Any, whole: Sequence[Piece], kept: Sequence[int]) -> float:
    """Share of the main container's prose that the article kept (rule SRC-3); lists of other articles do not count.

    The main container is the deepest element that still holds four fifths of what was kept.
    """
    counted = set(kept)
    prose = [i for i, piece in enumerate(whole) if piece.prose]
    totals = below((whole[i], len(whole[i].text)) for i in prose if i in counted)
    container = deepest(tree, totals)
    if container is None:
        return 1.0
    said = {whole[i].key for i in prose if i in counted}
    for i in without_related(whole, range(len(whole))):
        if whole[i].prose and i not in counted and whole[i].key not in said and _belongs(whole[i], container):
            said.add(whole[i].key)
            counted.add(i)
    all_of_it = below((whole[i], len(whole[i].text)) for i in prose if i in counted)
    return totals[container] / all_of_it[container]
