"""A web page → its article, or a clear no (rules SRC-3, SRC-5, SRC-8).

Guards come first: what a reader cannot see leaves the tree (kept in ``removed``), struck-out text is no evidence, and
an error, login or challenge page is BLOCKED_PAGE and never a source. Then the article is found among the page's own
pieces, and what was lost of it is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, InputType, Quality, ReadHints, Reason, Removed, SourceLimits
from pipeline.intake.decode import decoded
from pipeline.intake.drafted import drafted
from pipeline.intake.page_archive import opened
from pipeline.intake.page_article import MIN_ARTICLE, find_article, kept_share, size
from pipeline.intake.page_blocked import block_of, is_wall, wall
from pipeline.intake.page_container import inside, main_element, within
from pipeline.intake.page_described import described_article
from pipeline.intake.page_markup import parse
from pipeline.intake.page_pictures import Pictures, base_address
from pipeline.intake.page_title import page_title
from pipeline.intake.page_unseen import WECHAT, invisible_words, remove_unseen
from pipeline.intake.page_wechat import shared
from pipeline.intake.structure import Draft
from pipeline.intake.tree import Piece, Walk, walked

_KEPT = 0.9
_BLOCKS = frozenset("p li td th dt dd figure figcaption h1 h2 h3 h4 h5 h6 blockquote pre table".split())


@dataclass(frozen=True)
class _Article:
    """``kept``: indexes into the walk's pieces."""

    walk: Walk
    kept: list[int]
    extractor: str
    removed: list[Removed]
    pictures: tuple[str, ...] = ()  # addresses that stood in a script

    @property
    def whole(self) -> list[Piece]:
        return self.walk.pieces

    @property
    def pieces(self) -> list[Piece]:
        return [self.whole[index] for index in self.kept]


def extract_html(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a page, or a page archived with its pictures (MHTML).

    Raises:
        InputRejected: UNDECODABLE, BLOCKED_PAGE, NO_TEXT or BROKEN.
    """
    page = opened(data, charset=hints.charset, address=hints.address)
    read = decoded(page.data, declared=page.charset, markup=True)
    tree = parse(read.text)
    title = page_title(tree)
    pictures = Pictures(base_address(tree, page.address), page.along.get)
    article = _read(tree)
    if found := block_of(title, article.whole, article.pieces, read.text):
        raise InputRejected(Reason.BLOCKED_PAGE, what=found.what, sign=found.sign)
    if size(article.whole, article.kept) < MIN_ARTICLE:
        raise InputRejected(Reason.NO_TEXT)
    cut = wall(article.whole, article.kept)
    share = kept_share(tree, article.whole, article.kept if cut is None else [*article.kept, cut])
    kept = [i for i in article.kept if cut is None or i < cut or not is_wall(article.whole[i].text)]
    draft = drafted([article.whole[i] for i in kept] + article.walk.notes)
    raw, text, offsets, blocks = draft.build()
    _gather(tree, pictures, article, kept, draft)
    return Extraction(
        title=title or name.rsplit(".", 1)[0],
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.PARTIAL if cut is not None else Quality.LOSSY if share < _KEPT else Quality.FULL,
        extractor=article.extractor,
        codec=read.codec,
        assets=tuple(pictures.assets),
        removed=(*article.removed, *invisible_words(raw)),
        notes=_notes(cut is not None, share, read.conflict),
    )


def _notes(cut: bool, share: float, conflict: bool) -> tuple[str, ...]:
    """``charset_conflict`` is for the ledger: no sentence is made of it."""
    lost = f"lossy:{round(100 * (1 - share))}" if share < _KEPT else ""
    return tuple(filter(None, ("paywall" if cut else "", lost, "charset_conflict" if conflict else "")))


def _read(tree: Any) -> _Article:
    """WeChat's container, else what its share pages keep in a script, else the article of any page."""
    share, described = shared(tree), described_article(tree)
    removed = remove_unseen(tree)
    walk = walked(tree.find("body") if tree.find("body") is not None else tree)
    for container in tree.xpath(f"//*[@id='{WECHAT}']"):
        kept = within(walk.pieces, container)
        letters = size(walk.pieces, kept)
        chrome = share is not None and (share.alone or letters < len(share.body) / 4)
        if letters >= MIN_ARTICLE and not chrome:
            return _Article(walk, kept, "wechat container 2", removed)
    if share is not None:
        return _from_script(share.body, share.pictures, removed, "wechat share 1")
    kept, extractor = find_article(tree, walk.pieces)
    if size(walk.pieces, kept) < MIN_ARTICLE and described:
        return _from_script(described, (), removed, "articleBody 1")
    return _Article(walk, kept, extractor, removed)


def _from_script(body: str, pictures: tuple[str, ...], removed: list[Removed], extractor: str) -> _Article:
    """A body that stood in a script is markup of the author's, and goes through the same guards."""
    inner = parse(f"<html><body>{body}</body></html>")
    removed = removed + remove_unseen(inner)
    walk = walked(inner.find("body"))
    return _Article(walk, list(range(len(walk.pieces))), extractor, removed, pictures)


def _gather(tree: Any, pictures: Pictures, article: _Article, kept: Sequence[int], draft: Draft) -> None:
    """Pictures inside the article, in order; each belongs to the piece whose block it stands in, or else before it."""
    first, last = kept[0], kept[-1]
    order = {index: place for place, index in enumerate(kept)}
    container = main_element(tree, article.whole, kept)
    for image, index in article.walk.images:
        if first < index <= last or index in (first, last + 1) and inside(image, container):
            own = index in order and _shares_block(image, article.whole[index].element)
            near = index if own else max((i for i in kept if i < index), default=first)
            pictures.add(image, draft.starts[order[near]])
    for address in article.pictures:
        pictures.add_address(address, draft.starts[0])


def _shares_block(image: Any, element: Any) -> bool:
    """Whether the picture stands in the paragraph (figure, item, cell) that the words begin in."""
    block = next((above for above in image.iterancestors() if above.tag in _BLOCKS), None)
    return block is not None and (block is element or any(above is block for above in element.iterancestors()))
