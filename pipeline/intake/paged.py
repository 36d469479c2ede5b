"""Pages, each read by itself → one canonical text with its map, blocks and page starts (rules SRC-4, CHK-1).

Every change on the way is an edit with a map: what was printed twice, what nobody sees, what a font did to
characters, headers and footers, line ends inside a paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.domain.source import Block, BlockKind, Box, OffsetMap, Removed
from pipeline.domain.text import apply_edits, canonicalise, compose, fold, new_span, print_forms
from pipeline.intake import furniture
from pipeline.intake.flow import LIST_START
from pipeline.intake.garbled import GARBLED
from pipeline.intake.lines import BREAKS, joined, lines_of, unbroken, vocabulary
from pipeline.intake.structure import heading_level, looks_like_title

_BAD_TITLE = re.compile(
    r"^(?:untitled|title|doi\s*:|https?:|microsoft\s|无标题|未命名|文档\d*$|document\d*$)|\.(?:docx?|pptx?|xlsx?|pdf|tex|indd|wps)$",
    re.IGNORECASE,
)
_MAX_HEADING = 80
Span = tuple[int, int]
LineBox = tuple[int, int, float, float, float, float]  # start, end in the page's text; shares of the page's sides


@dataclass(frozen=True)
class PageText:
    """One page as it was read; all offsets count in ``text``.

    ``goes_on``: starts of lines that continue the one before, None when only the words can tell. ``twice``: what was
    printed over itself. ``hidden``: what nobody sees. ``tables``: rows that were composed from cells. ``ocr``: it is
    what a machine read off a picture.
    """

    text: str
    goes_on: frozenset[int] | None = None
    twice: tuple[Span, ...] = ()
    hidden: tuple[Span, ...] = ()
    tables: tuple[Span, ...] = ()
    boxes: tuple[LineBox, ...] = ()
    ocr: bool = False


@dataclass(frozen=True)
class Paged:
    """What all pages together are."""

    text: str
    raw: str
    offsets: OffsetMap
    blocks: tuple[Block, ...]
    page_starts: tuple[int, ...]
    boxes: tuple[Box, ...]
    removed: tuple[Removed, ...]
    labels: tuple[str, ...]  # printed page numbers that are not the plain count


def put_together(pages: Sequence[PageText], outline: Mapping[str, int]) -> Paged:
    """Join ``pages``; ``outline`` is squeezed heading → level."""
    raw, starts = _strung(pages)
    clean, offsets, words = _cleaned(raw, tuple(_cuts(pages, starts)))
    goes_on = frozenset(
        _mapped(offsets, [s + at for p, s in zip(pages, starts, strict=True) for at in sorted(p.goes_on or ())])
    )
    known = [None if page.goes_on is None else goes_on for page in pages]
    edges = _mapped(offsets, [s + at for p, s in zip(pages, starts, strict=True) for t in p.tables for at in t])
    tables = list(zip(edges[::2], edges[1::2], strict=True))
    lines = lines_of(clean, _mapped(offsets, starts), known, tables)
    found = furniture.furniture(clean, lines, len(pages))
    kept = [line for line in lines if line not in found] or lines
    text, offsets = _then(offsets, apply_edits(clean, joined(clean, kept, words, [page.ocr for page in pages])))
    page_starts = tuple(_past_space(text, at) for at in _mapped(offsets, starts))
    removed = (*furniture.ledger(clean, found), *_hidden(pages))
    spans = [(s + a, s + b) for p, s in zip(pages, starts, strict=True) for a, b in p.tables]
    return Paged(
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=_blocks(text, page_starts, outline, [new_span(offsets, a, b) for a, b in spans]),
        page_starts=page_starts,
        boxes=tuple(_boxes(pages, starts, offsets, text)),
        removed=removed,
        labels=furniture.printed_labels(clean, found, len(pages)),
    )


def _cleaned(raw: str, cuts: Sequence[tuple[int, int, str]]) -> tuple[str, OffsetMap, frozenset[str]]:
    """Take out what is cut, what nobody sees and what a font did to characters; return the text's own words too.

    They are looked for only where a hyphen at a line's end asks for them.
    """
    clean, offsets = canonicalise(raw)
    if cuts:
        clean, offsets = apply_edits(raw, cuts)
        clean, offsets = _then(offsets, canonicalise(clean))
    clean, offsets = _then(offsets, print_forms(clean))
    words = vocabulary(clean) if BREAKS.search(clean) else frozenset()
    marks = unbroken(clean, words)
    if marks:
        clean, offsets = _then(offsets, apply_edits(clean, marks))
    return clean, offsets, words


def _mapped(offsets: OffsetMap, places: Sequence[int]) -> list[int]:
    """What ascending raw offsets became: ``new_span`` for many, in one pass."""
    runs, index, mapped = offsets.runs, 0, []
    for place in places:
        while index + 1 < len(runs) and runs[index][1] <= place:
            index += 1
        start, end, low, high = runs[index] if runs else (0, 0, 0, 0)
        step = min(max(place - start, 0), end - start) if end - start == high - low else 0
        mapped.append(low + step)
    return mapped


def _then(first: OffsetMap, second: tuple[str, OffsetMap]) -> tuple[str, OffsetMap]:
    text, offsets = second
    return text, compose(first, offsets)


def _strung(pages: Sequence[PageText]) -> tuple[str, list[int]]:
    starts, at = [], 0
    for page in pages:
        starts.append(at)
        at += len(page.text) + 1
    return "\n".join(page.text for page in pages), starts


def _cuts(pages: Sequence[PageText], starts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Edits that take out what was printed twice and what nobody sees."""
    for page, start in zip(pages, starts, strict=True):
        last = 0
        for low, high in sorted((*page.twice, *page.hidden)):
            if high > max(low, last):
                yield start + max(low, last), start + high, ""
                last = high


def _hidden(pages: Sequence[PageText]) -> Iterator[Removed]:
    for page in pages:
        if page.hidden:
            words = " ".join(" ".join(page.text[a:b].split()) for a, b in page.hidden)
            yield Removed("hidden", words)


def _past_space(text: str, at: int) -> int:
    """The first character of a page: not the space or line end that took its header's place."""
    found = re.compile(r"\S").search(text, at)
    return found.start() if found else at


def _boxes(pages: Sequence[PageText], starts: Sequence[int], offsets: OffsetMap, text: str) -> Iterator[Box]:
    for number, (page, start) in enumerate(zip(pages, starts, strict=True), start=1):
        for low, high, x0, y0, x1, y1 in page.boxes:
            first, last = new_span(offsets, start + low, start + high)
            if text[first:last].strip():
                yield Box(first, last, number, x0, y0, x1, y1)


def squeezed(text: str) -> str:
    """A heading without its spaces, folded: how outline and text are compared."""
    return re.sub(r"\s+", "", fold(text)[0])


def _blocks(
    text: str, page_starts: tuple[int, ...], outline: Mapping[str, int], tables: Sequence[Span]
) -> tuple[Block, ...]:
    blocks: list[Block] = []
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if not line.strip():
            continue
        page = bisect_right(page_starts, start)
        table = next((t for t in tables if t[0] <= start < t[1]), None)
        if table is None:
            blocks.append(_line_block(line, start, page, outline))
        elif blocks and blocks[-1].kind is BlockKind.TABLE and blocks[-1].start >= table[0]:
            blocks[-1] = Block(BlockKind.TABLE, blocks[-1].start, start + len(line), 0, blocks[-1].page)
        else:
            blocks.append(Block(BlockKind.TABLE, start, start + len(line), 0, page))
    return tuple(blocks)


def _line_block(line: str, start: int, page: int, outline: Mapping[str, int]) -> Block:
    level = heading_level(line)
    if not level and outline and len(line) <= _MAX_HEADING:
        level = outline.get(squeezed(line), 0)
    kind = BlockKind.HEADING if level else BlockKind.LIST_ITEM if LIST_START.match(line) else BlockKind.PARAGRAPH
    return Block(kind, start, start + len(line), level, page)


def best_title(title: str, text: str, blocks: Sequence[Block], name: str) -> str:
    """The document's own title if it is one, else its first line if that may be one, else the file's name."""
    title = " ".join(canonicalise(title)[0].split())
    if title and not _BAD_TITLE.search(title) and not GARBLED.search(title):
        return title[:300]
    first = text[blocks[0].start : blocks[0].end] if blocks else ""
    return first if looks_like_title(first) and len(first) >= 4 else name.rsplit(".", 1)[0]
