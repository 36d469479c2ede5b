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
from pipeline.domain.source import BlockKind, Extraction, InputType, Quality, ReadHints, Reason, Removed, SourceLimits
from pipeline.intake.archive import opened
from pipeline.intake.article import MIN_ARTICLE, find_article, kept_share, size, within
from pipeline.intake.blocked import block_of, wall
from pipeline.intake.decode import decoded
from pipeline.intake.described import described_article
from pipeline.intake.markup import parse
from pipeline.intake.pictures import Pictures, base_address
from pipeline.intake.structure import Draft, heading_level
from pipeline.intake.title import page_title
from pipeline.intake.tree import Piece, Walk, walked
from pipeline.intake.unseen import WECHAT, invisible_words, remove_unseen
from pipeline.intake.wechat import shared

_KEPT = 0.9


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
    pictures = Pictures(base_address(tree, page.address), page.along)
    article = _read(tree)
    if found := block_of(title, article.whole, article.pieces, read.text):
        raise InputRejected(Reason.BLOCKED_PAGE, what=found.what, sign=found.sign)
    if size(article.whole, article.kept) < MIN_ARTICLE:
        raise InputRejected(Reason.NO_TEXT)
    cut = wall(article.whole, article.kept)
    kept = [index for index in article.kept if index != cut]
    share = kept_share(tree, article.whole, kept)
    notes = (("paywall",) if cut is not None else ()) + (
        (f"lossy:{round(100 * (1 - share))}",) if share < _KEPT else ()
    )
    draft = drafted([article.whole[i] for i in kept] + article.walk.notes)
    raw, text, offsets, blocks = draft.build()
    _gather(pictures, article, kept, draft)
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
        notes=notes + (("charset_conflict",) if read.conflict else ()),
    )


def _read(tree: Any) -> _Article:
    """WeChat's container, else what its share pages keep in a script, else the article of any page."""
    share, described = shared(tree), described_article(tree)
    removed = remove_unseen(tree)
    walk = walked(tree.find("body") if tree.find("body") is not None else tree)
    for container in tree.xpath(f"//*[@id='{WECHAT}']"):
        kept = within(walk.pieces, container)
        if share is None or size(walk.pieces, kept) > len(share.body) / 4:
            if size(walk.pieces, kept) >= MIN_ARTICLE:
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


def drafted(pieces: Sequence[Piece]) -> Draft:
    """Return a draft with one entry per piece; a term stands with its meaning, a list item with its number."""
    draft = Draft()
    for index, piece in enumerate(pieces):
        kind, level, text = piece.kind, piece.level, piece.mark + piece.text
        if kind is BlockKind.PARAGRAPH and (level := heading_level(piece.text)):
            kind = BlockKind.HEADING
        before = pieces[index - 1] if index else piece
        following = pieces[index + 1] if index + 1 < len(pieces) else piece
        if piece.role == "dt" and following.role == "dd":
            text = ""  # said with its meaning
        elif piece.role == "dd" and before.role == "dt":
            text = f"{before.text.rstrip('：:')}：{text}"
        draft.add(kind, text, level)
    return draft


def _gather(pictures: Pictures, article: _Article, kept: Sequence[int], draft: Draft) -> None:
    """Pictures inside the article, in order; each belongs to the piece it stands in, or else before."""
    first, last = kept[0], kept[-1]
    order = {index: place for place, index in enumerate(kept)}
    for image, index in article.walk.images:
        if first <= index <= last + 1:
            near = max((i for i in kept if i <= index), default=first) if index not in order else index
            pictures.add(image, draft.starts[order[near]])
    for address in article.pictures:
        pictures.add_address(address, draft.starts[0])
