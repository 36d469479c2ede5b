"""An EPUB → its chapters in reading order, through the same tree as a page; the contents pages are left out.

EbookLib would read the package too; it is under the AGPL, and what is needed of it is two small XML files. Chapters are
read as HTML: real books are often not well-formed, and an HTML parser expands no entities and opens no address.
"""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import BlockKind, Extraction, InputType, Quality, ReadHints, Reason, Removed, SourceLimits
from pipeline.intake.decode import decode
from pipeline.intake.drafted import drafted
from pipeline.intake.epub_package import Item, Package, member, package
from pipeline.intake.page_markup import parse
from pipeline.intake.page_pictures import MAX_DATA_BYTES, Pictures
from pipeline.intake.page_unseen import invisible_words, remove_unseen
from pipeline.intake.tree import Piece, walked
from pipeline.intake.zipped import Zipped

# XHTML may close any element at once; HTML would take the rest of the chapter into it.
_CLOSED_AT_ONCE = re.compile(
    r"<(title|script|style|a|p|div|span|i|b|em|strong|td|th|li|h[1-6]|iframe|section|sup|sub)(\s[^<>]*)?/>",
    re.IGNORECASE,
)
_LINKS = 5
_MAX_CHAPTER_BYTES = 20 * 1024 * 1024
_PICTURE = {"image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp"}


@dataclass
class _Book:
    zipped: Zipped
    package: Package
    pieces: list[Piece] = field(default_factory=list)
    images: list[tuple[Any, int, str]] = field(default_factory=list)  # element, piece, folder of its chapter
    removed: list[Removed] = field(default_factory=list)
    missing: int = 0


def extract_epub(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a book.

    Raises:
        InputRejected: BROKEN, TOO_LARGE, ENCRYPTED (its chapters are locked by DRM) or NO_TEXT.
    """
    zipped = Zipped(data, limits)
    book = _Book(zipped, package(zipped))
    for item in book.package.chapters:
        _chapter(book, item)
    if not book.pieces:
        raise InputRejected(Reason.NO_TEXT if not book.missing else Reason.BROKEN)
    draft = drafted(book.pieces)
    raw, text, offsets, blocks = draft.build()
    pictures = Pictures()
    for image, index, folder in book.images:
        pictures.along = partial(_picture, book, folder)
        pictures.add(image, draft.starts[min(index, len(draft.starts) - 1)])
    return Extraction(
        title=book.package.title or name.rsplit(".", 1)[0],
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.PARTIAL if book.missing else Quality.FULL,
        extractor="epub 1",
        codec="utf-8",
        assets=tuple(pictures.assets),
        removed=(*book.removed, *invisible_words(raw)),
        notes=(f"chapters_missing:{book.missing}",) if book.missing else (),
    )


def _chapter(book: _Book, item: Item) -> None:
    content = book.zipped.read(item.name) if book.zipped.size(item.name) <= _MAX_CHAPTER_BYTES else None
    if content is None:
        book.missing += 1
        return
    if not content.strip():
        return
    markup, _ = decode(content, markup=True)
    tree = parse(_CLOSED_AT_ONCE.sub(r"<\1\2></\1>", markup))
    book.removed += remove_unseen(tree)
    body = tree.find("body")
    walk = walked(body if body is not None else tree)
    pieces = walk.pieces + walk.notes
    if _is_contents(pieces):
        return
    label = book.package.labels.get(item.name, "")
    if label and not any(p.kind is BlockKind.HEADING or p.text == label for p in pieces[:3]) and pieces:
        pieces.insert(0, Piece(BlockKind.HEADING, label, 1, body))
    book.images += [(image, len(book.pieces) + at, posixpath.dirname(item.name)) for image, at in walk.images]
    book.pieces += pieces


def _is_contents(pieces: Sequence[Piece]) -> bool:
    """A page of links into the book, whatever the package calls it."""
    links = [piece for piece in pieces if piece.linked > len(piece.text) / 2]
    return len(links) >= _LINKS and len(links) >= 0.8 * len(pieces)


def _picture(book: _Book, folder: str, address: str) -> tuple[str, str] | None:
    name = member(folder, address)
    kind = book.package.kinds.get(name, "")
    if kind not in _PICTURE or book.zipped.size(name) > MAX_DATA_BYTES:
        return None
    content = book.zipped.read(name)
    return (kind, base64.b64encode(content).decode("ascii")) if content else None
