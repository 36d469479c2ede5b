"""A tree of HTML, or of trafilatura's result, → pieces in reading order; nothing is judged here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from pipeline.domain.source import BlockKind
from pipeline.intake.structure import table_lines

_HEADINGS = {**{f"h{n}": n for n in range(1, 7)}, "head": 2}
_KINDS = {
    **dict.fromkeys(_HEADINGS, BlockKind.HEADING),
    **dict.fromkeys(("li", "item", "dt", "dd"), BlockKind.LIST_ITEM),
    **dict.fromkeys(("blockquote", "quote"), BlockKind.QUOTE),
    "pre": BlockKind.CODE,
}
_BREAKING = frozenset(
    "p div section article main body html header footer aside nav figure figcaption ul ol dl list center form fieldset "
    "address details summary tbody thead tr row td th cell table hr".split()
).union(_KINDS)
_CELLS = ("td", "th", "cell")
_HAN_JOIN = re.compile("(?<=[\u2e80-\u9fff\uff00-\uffef])[ \t\r\f\v]*\n\\s*(?=[\u2e80-\u9fff\uff00-\uffef])")
_SENTENCE = re.compile("[。，；！？]|[a-z][,.] [a-zA-Z]|\\w[.!?]$")
_LINE = "\u2028"  # a <br>: survives the collapsing of white space


@dataclass
class Piece:
    kind: BlockKind
    text: str
    level: int
    element: Any  # the lxml element the text began in
    linked: int = 0  # characters inside links

    @property
    def prose(self) -> bool:
        """Whether this reads like sentences and not like a menu, a caption or a list of links."""
        return self.linked <= len(self.text) / 2 and bool(_SENTENCE.search(self.text))


@dataclass
class _Walk:
    pieces: list[Piece] = field(default_factory=list)
    kinds: list[tuple[BlockKind, int]] = field(default_factory=lambda: [(BlockKind.PARAGRAPH, 0)])
    buffer: list[str] = field(default_factory=list)
    links: int = 0
    linked: int = 0
    skipping: int = 0
    start: Any = None

    def say(self, text: str | None, element: Any) -> None:
        if text and not self.skipping:
            if not self.buffer:
                self.start = element
            self.buffer.append(text)
            if self.links:
                self.linked += len(text.strip())

    def flush(self) -> None:
        joined, linked = "".join(self.buffer), self.linked
        self.buffer, self.linked = [], 0
        kind, level = self.kinds[-1]
        lines = [joined.strip("\n")] if kind is BlockKind.CODE else visible_lines(joined)
        for line in lines:
            if line.strip():
                self.pieces.append(Piece(kind, line, level, self.start, min(linked, len(line))))


def visible_lines(text: str) -> list[str]:
    """Return the lines a browser would show of inline text: white space collapsed, none between Han lines."""
    lines = (_HAN_JOIN.sub("", line) for line in text.split(_LINE))
    return [collapsed for line in lines if (collapsed := " ".join(line.split()))]


def pieces(root: Any, *, skip: frozenset[str] = frozenset({"del", "s", "strike"})) -> list[Piece]:
    """Return every visible stretch of text below ``root``; tables as one piece each, code as it stands.

    Iterative, so that a page nested ten thousand deep costs time and not the stack.
    """
    walk = _Walk()
    inside_table: Any = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if inside_table is not None:
            if event == "end" and element is inside_table:
                inside_table = None
                walk.say(element.tail, element.getparent())
            continue
        tag = element.tag if isinstance(element.tag, str) else ""
        if event == "start" and tag == "table" and _is_data(element):
            walk.flush()
            _table(walk, element)
            inside_table = element
            continue
        _step(walk, event, element, tag, skip)
        if event == "end" and element is not root:
            walk.say(element.tail, element.getparent())
    walk.flush()
    return walk.pieces


def _step(walk: _Walk, event: str, element: Any, tag: str, skip: frozenset[str]) -> None:
    opening = event == "start"
    if not tag or tag in skip:
        walk.skipping += 1 if opening else -1
        return
    code = tag == "code" and _own_block(element)
    if tag in _BREAKING or code:
        walk.flush()
    if tag in _KINDS or code:
        if opening:
            walk.kinds.append((BlockKind.CODE if code else _KINDS[tag], _level(tag, element)))
        else:
            walk.kinds.pop()
    if tag in ("a", "ref"):
        walk.links += 1 if opening else -1
    if opening:
        if tag in ("br", "lb"):
            walk.say("\n" if walk.kinds[-1][0] is BlockKind.CODE else _LINE, element)
        walk.say(element.text, element)


def _own_block(element: Any) -> bool:
    """Trafilatura writes a ``<pre>`` as ``<code>`` inside ``<code>``, or with several lines."""
    parent = element.getparent()
    nested = parent is not None and parent.tag in ("code", "pre")
    return not nested and (len(element) > 0 or "\n" in (element.text or "").strip())


def _level(tag: str, element: Any) -> int:
    rend = element.get("rend") or ""
    return int(rend[1]) if tag == "head" and re.fullmatch("h[1-6]", rend) else _HEADINGS.get(tag, 0)


def _is_data(table: Any) -> bool:
    """A table with at least two columns that holds data; one that only lays out a page is walked as text."""
    rows = [row for row in table.iter("tr", "row")]
    if table.find(".//table") is not None or not rows:
        return False
    columns = max(sum(1 for cell in row if cell.tag in _CELLS) for row in rows)
    longest = max((len("".join(cell.itertext())) for cell in table.iter(*_CELLS)), default=0)
    return columns >= 2 and longest <= 400


def _table(walk: _Walk, table: Any) -> None:
    rows: list[list[str]] = []
    header = False
    for row in table.iter("tr", "row"):
        cells = [cell for cell in row if cell.tag in _CELLS]
        if cells and not rows:
            header = all(c.tag == "th" or c.get("role") == "head" for c in cells) or _short_names(cells)
        values: list[str] = []
        for cell in cells:
            text = " ".join("".join(cell.itertext()).split())
            span = cell.get("colspan") or "1"
            values += [text] * (min(int(span), 20) if span.isdigit() else 1)
        rows.append(values)
    lines = table_lines(rows, header=header)
    if lines:
        walk.pieces.append(Piece(BlockKind.TABLE, "\n".join(lines), 0, table))


def _short_names(cells: list[Any]) -> bool:
    """A first row of short words without digits names the columns, marked up or not."""
    texts = ["".join(cell.itertext()).strip() for cell in cells]
    return len(texts) >= 2 and all(0 < len(t) <= 12 and not re.search(r"\d", t) for t in texts)
