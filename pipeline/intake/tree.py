"""A tree of HTML, or of trafilatura's result, → pieces in reading order; nothing is judged here.

Iterative, so that a page nested a thousand deep costs time and not the stack. What a reader sees is written, not what
the markup spells: a power is a power (10²), a note's mark stands in brackets, the reading above a word is not part of
the word, and the notes themselves come after everything else.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from pipeline.domain.source import BlockKind
from pipeline.intake.tree_inline import is_back_link, is_mark, is_note, mark_text, raised, visible_lines
from pipeline.intake.tree_numbering import Numbering
from pipeline.intake.tree_tables import is_data, table_text

_HEADINGS = {**{f"h{n}": n for n in range(1, 7)}, "head": 2}
_KINDS = {
    **dict.fromkeys(_HEADINGS, BlockKind.HEADING),
    **dict.fromkeys(("li", "item", "dt", "dd"), BlockKind.LIST_ITEM),
    **dict.fromkeys(("blockquote", "quote"), BlockKind.QUOTE),
    "pre": BlockKind.CODE,
}
_BREAKING = frozenset(
    "p div section article main body html header footer aside nav figure figcaption ul ol dl list center form fieldset"
    " address details summary tbody thead tfoot tr row td th cell table caption hr legend".split()
).union(_KINDS)
_SILENT = frozenset("del s strike rt rp rtc".split())
_SENTENCE = re.compile("[。，；！？]|[a-z][,.] [a-zA-Z]|\\w[.!?]$")
_NOT_COMPARED = re.compile('[\\s\\[\\]“”"\u200b-\u200f\u2060\ufeff\u00ad]+')
LINE = "\u2028"  # a <br>: survives the collapsing of white space


@dataclass
class Piece:
    kind: BlockKind
    text: str
    level: int
    element: Any  # the lxml element the text began in
    linked: int = 0  # characters inside links
    mark: str = ""  # "1. ", said before the text
    role: str = ""  # the tag that gave the kind: dt, dd, li ...
    words: str = ""  # of a table: its cells alone

    @property
    def prose(self) -> bool:
        """Whether this reads like sentences and not like a menu, a caption or a list of links."""
        return self.linked <= len(self.text) / 2 and bool(_SENTENCE.search(self.text))

    @property
    def key(self) -> str:
        """What two readings of the same words have in common."""
        return comparable(self.words or self.text)


def comparable(text: str) -> str:
    return _NOT_COMPARED.sub("", unicodedata.normalize("NFKC", text))


@dataclass
class Walk:
    """``images`` holds ``(element, n)``: the picture stands in, or before, the n-th piece."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[Piece] = field(default_factory=list)
    images: list[tuple[Any, int]] = field(default_factory=list)
    kinds: list[tuple[BlockKind, int, str]] = field(default_factory=lambda: [(BlockKind.PARAGRAPH, 0, "")])
    numbers: Numbering = field(default_factory=Numbering)
    buffer: list[str] = field(default_factory=list)
    links: int = 0
    linked: int = 0
    start: Any = None

    def say(self, text: str | None, element: Any) -> None:
        if text:
            if not self.buffer:
                self.start = element
            self.buffer.append(text)
            if self.links:
                self.linked += len(text.strip())

    def flush(self) -> None:
        if not self.buffer:
            return
        joined, linked = "".join(self.buffer), self.linked
        self.buffer, self.linked = [], 0
        kind, level, role = self.kinds[-1]
        lines = [joined.strip("\n")] if kind is BlockKind.CODE else visible_lines(joined, LINE)
        for line in lines:
            if line.strip():
                mark = self.numbers.take(line) if kind is BlockKind.LIST_ITEM else ""
                self.pieces.append(Piece(kind, line, level, self.start, min(linked, len(line)), mark, role))


def pieces(root: Any) -> list[Piece]:
    """Return every visible stretch of text below ``root``; tables as one piece each, code as it stands, notes last."""
    walk = walked(root)
    return walk.pieces + walk.notes


def walked(root: Any) -> Walk:
    walk = Walk()
    context = etree.iterwalk(root, events=("start", "end"))
    leaf: Any = None
    for event, element in context:
        tag = element.tag if isinstance(element.tag, str) else ""
        if event == "start":
            if element is not root and _leaf(walk, element, tag):
                leaf = element
                context.skip_subtree()
            else:
                _open(walk, element, tag)
            continue
        if element is not leaf:
            _close(walk, element, tag)
        if element is not root:
            walk.say(element.tail, element.getparent())
    walk.flush()
    return walk


def _leaf(walk: Walk, element: Any, tag: str) -> bool:
    """Say an element that is not walked into; False when it is to be walked."""
    if tag == "img":
        walk.images.append((element, len(walk.pieces)))
    elif tag == "table" and is_data(element):
        _table(walk, element)
    elif tag == "sup" or tag == "a" and is_mark(element):
        walk.say(mark_text(element) if is_mark(element) else raised("".join(element.itertext())), element)
    elif is_note(element, tag):
        if tag in _BREAKING:
            walk.flush()
        walk.notes += pieces(element)
    elif tag in _SILENT or tag == "a" and is_back_link(element):
        return True
    else:
        return not tag
    return True


def _open(walk: Walk, element: Any, tag: str) -> None:
    kind = _kind(element, tag)
    if tag in _BREAKING or kind:
        walk.flush()
    if kind:
        walk.kinds.append((kind, _level(tag, element), tag))
    walk.numbers.enter(element, tag)
    if tag in ("a", "ref"):
        walk.links += 1
    elif tag in ("br", "lb"):
        walk.say("\n" if walk.kinds[-1][0] is BlockKind.CODE else LINE, element)
    elif tag == "q":
        walk.say("“", element)
    walk.say(element.text, element)


def _close(walk: Walk, element: Any, tag: str) -> None:
    kind = _kind(element, tag)
    if tag in _BREAKING or kind:
        walk.flush()
    if kind:
        walk.kinds.pop()
    walk.numbers.leave(tag)
    if tag in ("a", "ref") and walk.links:
        walk.links -= 1
    elif tag == "q":
        walk.say("”", element)


def _kind(element: Any, tag: str) -> BlockKind | None:
    if tag == "code":
        return BlockKind.CODE if _own_block(element) else None
    if tag in _KINDS:
        return _KINDS[tag]
    return BlockKind.HEADING if tag in ("div", "p", "span") and element.get("role") == "heading" else None


def _own_block(element: Any) -> bool:
    """Trafilatura writes a ``<pre>`` as ``<code>`` inside ``<code>``, or with several lines."""
    parent = element.getparent()
    nested = parent is not None and parent.tag in ("code", "pre")
    return not nested and (len(element) > 0 and element[0].tag == "code" or "\n" in (element.text or "").strip())


def _level(tag: str, element: Any) -> int:
    told = element.get("aria-level") or (element.get("rend") or "")[1:2]
    if tag not in _HEADINGS and element.get("role") != "heading":
        return 0
    return int(told) if re.fullmatch("[1-6]", told) else _HEADINGS.get(tag, 2)


def _table(walk: Walk, table: Any) -> None:
    walk.flush()
    caption = table.find("caption")
    if caption is not None and (title := _cell_text(caption)):
        walk.pieces.append(Piece(BlockKind.PARAGRAPH, title, 0, caption, role="caption"))
    walk.images += [(image, len(walk.pieces)) for image in table.iter("img")]
    if lines := table_text(table, _cell_text):
        words = "".join("".join(cell.itertext()) for cell in table.iter("td", "th", "cell"))
        links = sum(len("".join(link.itertext()).strip()) for link in table.iter("a"))
        text = "\n".join(lines)
        walk.pieces.append(Piece(BlockKind.TABLE, text, 0, table, linked=min(links, len(text)), words=words))


def _cell_text(cell: Any) -> str:
    if not len(cell):
        return " ".join((cell.text or "").split())
    return " ".join(" ".join(piece.text.split()) for piece in pieces(cell))
