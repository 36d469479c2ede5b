"""From pieces with a kind to one canonical text with blocks; and how headings look in plain text (rule CHK-1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipeline.domain.sentences import line_ends, trimmed
from pipeline.domain.source import Block, BlockKind, OffsetMap
from pipeline.domain.text import canonicalise, new_span

_NUMBER = "[0-9０-９一二三四五六七八九十百零〇]{1,4}"
_HEADINGS = (
    (1, re.compile(f"第{_NUMBER}[编篇部卷章](?:[\\s:：、.]|$|(?=[\u3400-\u9fff]))")),
    (2, re.compile(f"第{_NUMBER}节(?:[\\s:：、.]|$|(?=[\u3400-\u9fff]))")),
    (2, re.compile("[一二三四五六七八九十]{1,3}、")),
    (3, re.compile("[（(][一二三四五六七八九十]{1,3}[)）]")),
    (2, re.compile(r"\d{1,2}\.\d{1,2}(?!\d|\.\d)[\s\u3000]*(?=[^\d\s%％元米])")),
    (3, re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}[\s\u3000]*(?=[^\d\s])")),
    (1, re.compile(r"(?:chapter|part|section)\s+(?:\d+|[ivxlc]+)\b", re.IGNORECASE)),
)
_MAX_HEADING = 40
_SENTENCE_END = re.compile("[。；;，,：:！!？?…]$|[a-z]\\.$")
_LIST_ITEM = re.compile(f"(?:[-*•·●○■◆▪]\\s|[（(]?{_NUMBER}[)）.、．]|第{_NUMBER}条)")
_MAX_TITLE = 60


def heading_level(line: str) -> int:
    """Return 1–6 when ``line`` looks like a numbered heading, else 0; a whole sentence with a number is none."""
    if len(line) > _MAX_HEADING or _SENTENCE_END.search(line):
        return 0
    return next((level for level, pattern in _HEADINGS if pattern.match(line)), 0)


def looks_like_title(line: str) -> bool:
    """Whether a first line may be the title of what follows: short, and no sentence."""
    return 0 < len(line) <= _MAX_TITLE and not _SENTENCE_END.search(line)


def text_blocks(text: str, *, titled: bool = True) -> tuple[Block, ...]:
    """Return the paragraphs, list items and headings of a canonical text without markup."""
    blocks: list[Block] = []
    start = 0
    line_start = 0
    for newline in [*(m.start() for m in re.finditer("\n", text)), len(text)]:
        blank_next = newline + 1 >= len(text) or text[newline + 1] == "\n"
        line = text[line_start:newline].strip()
        if blank_next or heading_level(line) or line_ends(text, line_start, newline, newline + 1):
            low, high = trimmed(text, start, newline)
            if low < high:
                blocks.append(_text_block(text, low, high, first=titled and not blocks))
            start = newline + 1
        line_start = newline + 1
    return tuple(blocks)


def _text_block(text: str, start: int, end: int, *, first: bool) -> Block:
    line = text[start:end]
    if level := heading_level(line):
        return Block(BlockKind.HEADING, start, end, level)
    if first and looks_like_title(line) and end < len(text.rstrip()):
        return Block(BlockKind.TITLE, start, end, 1)
    return Block(BlockKind.LIST_ITEM if _LIST_ITEM.match(line) else BlockKind.PARAGRAPH, start, end)


def table_lines(rows: list[list[str]], *, header: bool) -> list[str]:
    """Return one line per body row that names its columns: ``列名：值；列名：值`` (rule CHK-1).

    A row of a table without a header keeps its cells only, the first one naming the row.
    """
    rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    rows = [row for row in rows if any(row)]
    if not rows:
        return []
    if not header or len(rows) == 1:
        return ["；".join(cell for cell in row if cell) for row in rows]
    names = rows[0]
    lines = []
    for row in rows[1:]:
        cells = []
        for index, cell in enumerate(row):
            name = names[index] if index < len(names) else ""
            if cell:
                cells.append(f"{name}：{cell}" if name and name != cell else cell)
        lines.append("；".join(cells))
    return lines


@dataclass
class Draft:
    """Pieces in reading order; becomes the raw text, its canonical form, the map and the blocks.

    ``starts`` holds, once it is built, the canonical offset of each ``add`` in turn, of an empty one too.
    """

    pieces: list[tuple[BlockKind, str, int]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    _added: list[int] = field(default_factory=list)  # for each add, the piece it is or comes before

    def add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        text = text.strip() if kind is not BlockKind.CODE else text.strip("\n").rstrip()
        self._added.append(len(self.pieces))
        if text:
            self.pieces.append((kind, text, level))

    def build(self) -> tuple[str, str, OffsetMap, tuple[Block, ...]]:
        """Return ``(raw, canonical, map, blocks)``; one empty line stands between two pieces."""
        raw = "\n\n".join(text for _, text, _ in self.pieces)
        canonical, offsets = canonicalise(raw)
        blocks: list[Block] = []
        begins: list[int] = []
        at = 0
        for kind, text, level in self.pieces:
            start, end = trimmed(canonical, *new_span(offsets, at, at + len(text)))
            begins.append(start)
            if start < end:
                blocks.append(Block(kind, start, end, level))
            at += len(text) + 2
        last = blocks[-1].start if blocks else 0
        self.starts = [begins[piece] if piece < len(begins) else last for piece in self._added]
        return raw, canonical, offsets, tuple(blocks)
