"""A PDF with a text layer → canonical text (pitfalls P1–P10, rules SRC-3, SRC-5).

pdfium gives each page's text in lines. Lines that stand on more than half of the pages at an edge are headers and
footers; the rest is joined into paragraphs by how full a line is, the same way for Chinese and Latin scripts.
Pages without text are counted and said, never guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise, zip_longest
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Block, BlockKind, Extraction, InputType, Quality, ReadHints, Reason, SourceLimits
from pipeline.domain.text import apply_edits, canonicalise, compose, fold, new_span, print_forms
from pipeline.intake.structure import heading_level, looks_like_title

_EDGE_LINES = 3
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U00020000-\U0003ffff]+"
)
_HAN_SIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_STOP = re.compile("[。！？!?；;：:…．.][”’\"'」』）)]*$")
_LIST_START = re.compile(
    "(?:[-*•·●○■◆▪–]\\s*\\S|[（(]?[0-9一二三四五六七八九十]{1,3}[)）、．]|[0-9]{1,2}\\.\\s|第[0-9一二三四五六七八九十百]{1,4}[条章节款编])"
)
_GARBLED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]|\\(cid:\\d+\\)")
_SOFT_BREAK = re.compile("[\ufffe\x02](?=\r?\n|$)")  # pdfium's mark for a hyphen at a line end
_BAD_TITLE = re.compile(
    r"^(?:untitled|title|microsoft\s|无标题|未命名|文档\d*$|document\d*$)|\.(?:docx?|pptx?|xlsx?|pdf|tex|indd|wps)$",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"[-–—·\s]*(?:第\s*)?\d{1,4}(?:\s*页)?[-–—·\s]*")
_MAX_OUTLINE = 2_000


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    page: int  # 0-based
    columns: int


def extract_pdf(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a PDF.

    Raises:
        InputRejected: ENCRYPTED, BROKEN, TOO_MANY_PAGES (``pages``, ``limit``) or NO_TEXT.
    """
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        secret = getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD
        raise InputRejected(Reason.ENCRYPTED if secret else Reason.BROKEN, str(error)) from error
    try:
        pages = len(document)
        if pages > limits.max_pdf_pages:
            raise InputRejected(Reason.TOO_MANY_PAGES, pages=pages, limit=limits.max_pdf_pages)
        if pages == 0:
            raise InputRejected(Reason.BROKEN)
        texts = [_page_text(document, index) for index in range(pages)]
        outline = _outline(document)
        title = (document.get_metadata_dict().get("Title") or "").strip()
    finally:
        document.close()
    return _assemble(texts, outline, title=title, name=name)


def _page_text(document: Any, index: int) -> str:
    """Text of one page; a page that does not load has none."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return ""
    try:
        textpage = page.get_textpage()
        text: str = textpage.get_text_range()
        textpage.close()
    except pypdfium2.PdfiumError:
        return ""
    finally:
        page.close()
    return text


def _outline(document: Any) -> dict[str, int]:
    """Bookmarks as folded title → level (1–6); they tell which lines are headings."""
    levels: dict[str, int] = {}
    try:
        for bookmark in document.get_toc(max_depth=6):
            title = _squeezed(bookmark.get_title() or "")
            if title and len(levels) < _MAX_OUTLINE:
                levels.setdefault(title, min(6, bookmark.level + 1))
    except pypdfium2.PdfiumError:
        return {}
    return levels


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", fold(text)[0])


def _assemble(texts: list[str], outline: dict[str, int], *, title: str, name: str) -> Extraction:
    unreadable = [bool(t.strip()) and len(_GARBLED.findall(t)) > 0.2 * len("".join(t.split())) for t in texts]
    texts = ["" if bad else _SOFT_BREAK.sub("\u2010", t) for t, bad in zip(texts, unreadable, strict=True)]
    empty = sum(not t.strip() for t in texts)
    if empty == len(texts):
        raise InputRejected(Reason.NO_TEXT, pages=len(texts))
    raw, starts = _joined(texts)
    middle, to_middle = canonicalise(raw)
    printed, to_printed = print_forms(middle)
    to_printed = compose(to_middle, to_printed)
    lines = _lines(printed, [new_span(to_printed, s, s)[0] for s in starts])
    text, to_text = apply_edits(printed, _layout(printed, lines, len(texts)))
    offsets = compose(to_printed, to_text)
    page_starts = tuple(_past_space(text, new_span(offsets, s, s)[0]) for s in starts)
    blocks = _blocks(text, page_starts, outline)
    notes = [f"pages_without_text:{empty - sum(unreadable)}"] if empty > sum(unreadable) else []
    if any(unreadable):
        notes.append(f"pages_unreadable:{sum(unreadable)}")
    return Extraction(
        title=_best_title(title, text, blocks, name),
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.PARTIAL if empty else Quality.FULL,
        extractor=f"pypdfium2 {version('pypdfium2')}",
        pages=len(texts),
        page_starts=page_starts,
        notes=tuple(notes),
    )


def _past_space(text: str, at: int) -> int:
    """The first character of a page: not the space or line end that took its header's place."""
    found = re.compile(r"\S").search(text, at)
    return found.start() if found else at


def _joined(texts: list[str]) -> tuple[str, list[int]]:
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    return "\n".join(texts), starts


def _lines(text: str, starts: list[int]) -> list[_Line]:
    """Non-empty lines with their page and width in columns (Han count two)."""
    lines: list[_Line] = []
    for page, (start, stop) in enumerate(pairwise([*starts, len(text) + 1])):
        at = start
        for line in text[start : stop - 1].split("\n"):
            stripped = line.strip()
            if stripped:
                left = at + len(line) - len(line.lstrip())
                wide = sum(map(len, _WIDE.findall(stripped)))
                lines.append(_Line(left, left + len(stripped), page, len(stripped) + wide))
            at += len(line) + 1
    return lines


def _layout(text: str, lines: list[_Line], pages: int) -> Iterable[tuple[int, int, str]]:
    """Edits that take out headers and footers and join lines into paragraphs; one newline stays between two."""
    furniture = _furniture(text, lines, pages)
    kept = [line for line in lines if line not in furniture] or lines
    full = _full_widths(kept)
    words = frozenset(re.findall("[a-z]{3,}", text.lower()))
    at, seam = 0, ""
    for line, following in zip_longest(kept, kept[1:]):
        yield at, line.start, seam
        at, seam = line.end, ""
        if following is not None:
            seam = "\n"
            if _goes_on(text, line, following, full[line.page]):
                cut, seam = _seam(text, line, following, words)
                at -= cut
    yield at, len(text), ""


def _at(text: str, line: _Line) -> str:
    return text[line.start : line.end]


def _furniture(text: str, lines: list[_Line], pages: int) -> frozenset[_Line]:
    """Lines at a page's edge that more than half of the pages (or of the left or right ones) repeat, digits apart."""
    by_page: dict[int, list[_Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    corners = {line for its in by_page.values() for line in (*its[:2], *its[-2:])}
    numbers = {line for line in corners if _PAGE_NUMBER.fullmatch(_at(text, line))}
    if pages < 3:
        return frozenset(numbers)
    edges = [(page, line) for page, its in by_page.items() for line in {*its[:_EDGE_LINES], *its[-_EDGE_LINES:]}]

    def key(line: _Line) -> str:
        return re.sub(r"\d+", "#", "".join(_at(text, line).split()))

    counts: Counter[tuple[str, int]] = Counter()
    for page, found in {(page, key(line)) for page, line in edges}:
        counts[found, page % 2] += 1
    sides = {side: sum(1 for page in by_page if page % 2 == side) for side in (0, 1)}

    def repeated(found: str) -> bool:
        both = counts[found, 0] + counts[found, 1] > len(by_page) / 2
        return both or any(counts[found, side] > max(2, sides[side] / 2) for side in (0, 1))

    return frozenset(numbers.union(line for _, line in edges if repeated(key(line))))


def _full_widths(lines: list[_Line]) -> dict[int, float]:
    """Columns of a full line, per page: nine tenths of its lines are no wider."""
    widths: dict[int, list[int]] = {}
    for line in lines:
        widths.setdefault(line.page, []).append(line.columns)
    return {page: sorted(its)[int(0.9 * (len(its) - 1))] for page, its in widths.items()}


def _goes_on(text: str, line: _Line, following: _Line, full: float) -> bool:
    """Whether ``following`` continues the paragraph of ``line``: the line was full, and no new item begins."""
    here, there = text[line.start : line.end], text[following.start : following.end]
    if full < 16 or _LIST_START.match(there) or heading_level(here) or heading_level(there):
        return False
    if "\u3000" in text[line.end : following.start]:  # an indent
        return False
    stopped = bool(_STOP.search(here))
    if _HAN_SIDE.match(here[-1]) or _HAN_SIDE.match(there[0]):
        return line.columns >= (0.93 if stopped else 0.8) * full
    word = there.split(None, 1)[0]
    fitted = line.columns + 1 + len(word) <= full  # the next word had room: the author ended the line
    return not fitted if stopped else not fitted or (line.columns >= 0.6 * full and there[0].islower())


def _seam(text: str, line: _Line, following: _Line, words: frozenset[str]) -> tuple[int, str]:
    """How two lines join: ``(characters to drop at the end of the first, what to put between)``."""
    here, there = text[line.start : line.end], text[following.start : following.end]
    if here[-1] in "-\u2010" and there[0].islower():
        left = re.search("[A-Za-z]+$", here[:-1])
        right = re.match("[a-z]+", there)
        whole = bool(left and right and (left.group() + right.group()).lower() in words)
        return (1, "") if whole else (0, "")
    return 0, "" if _HAN_SIDE.match(here[-1]) and _HAN_SIDE.match(there[0]) else " "


def _blocks(text: str, page_starts: tuple[int, ...], outline: dict[str, int]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if not line.strip():
            continue
        level = heading_level(line)
        if not level and outline and len(line) <= 80:
            level = outline.get(_squeezed(line), 0)
        kind = BlockKind.HEADING if level else BlockKind.LIST_ITEM if _LIST_START.match(line) else BlockKind.PARAGRAPH
        blocks.append(Block(kind, start, start + len(line), level, bisect_right(page_starts, start)))
    return tuple(blocks)


def _best_title(title: str, text: str, blocks: tuple[Block, ...], name: str) -> str:
    """The document's own title if it is one, else its first line if that may be one, else the file's name."""
    title = " ".join(canonicalise(title)[0].split())
    if title and not _BAD_TITLE.search(title) and not _GARBLED.search(title):
        return title[:300]
    first = text[blocks[0].start : blocks[0].end] if blocks else ""
    return first if looks_like_title(first) and len(first) >= 4 else name.rsplit(".", 1)[0]
