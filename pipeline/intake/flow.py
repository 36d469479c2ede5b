"""Which row of a page goes on the paragraph of the one before it, from where they stand.

A row goes on when the one before was full: when it left no room for the next word. A first-line indent, a wide gap,
another size of type, a list item or a heading begin a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median

from pipeline.intake.rows import Piece, Row
from pipeline.intake.structure import heading_level

_SAME_FONT, _SAME_SEEN = 1.25, 1.6  # ratio of two heights within a paragraph
_NEAR = 4  # rows before and after that show where the edges of a text are
_INDENT = 4.0  # line heights by which the rows of one text begin apart at most
_LEVEL = 0.25  # share of the lower of two pieces that stands beside the other
_TAIL = 6  # characters at a line's end that tell whether a sentence ends there
_LEAST_ROWS = 4  # that show what is usual
_HAN_SIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_STOP = re.compile("[。！？!?；;：:…．.][”’\"'」』）)]*$")
LIST_START = re.compile(
    "(?:[-*•·●○■◆▪–]\\s*\\S|[（(]?[0-9一二三四五六七八九十]{1,3}[)）、．]|[0-9]{1,2}\\.(?=[^\\d]|$)|第[0-9一二三四五六七八九十百]{1,4}[条章节款编])"
)
# With the marks behind it: they never stand at the head of a line.
_WORD = re.compile("[^\\s\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]+[\uff00-\uffef\u3000-\u303f]*")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")


class Fit:
    """How the rows of a region fit together. ``sizes``: ratio of two heights within a paragraph."""

    def __init__(self, rows: Sequence[Row], *, exact: bool) -> None:
        boxes = [row.box for row in rows]
        self._boxes = [box if len(row.pieces) == 1 else None for row, box in zip(rows, boxes, strict=True)]
        self._known: dict[tuple[int, int, int], tuple[float, float]] = {}
        self.sizes = _SAME_FONT if exact else _SAME_SEEN
        em = median([b[3] - b[1] for b in boxes]) if boxes else 0.0
        gaps = [low[1] - high[3] for high, low in pairwise(boxes)]
        usual = median(gaps) + 0.35 * em if len(gaps) >= _LEAST_ROWS else 0.8 * em
        self.gap = max(usual, 0.25 * em)  # between two lines of a paragraph at most

    def edges(self, index: int, em: float) -> tuple[float, float]:
        """Left and right edge of the text around row ``index``: of the rows near it that begin about where it does."""
        here = self._boxes[index]
        if here is None:
            return 0.0, 0.0
        block = index // _NEAR
        key = block, round(here[0] / em), round(em)  # rows side by side in a paragraph ask the same
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._edges(here[0], _INDENT * em, (block - 1) * _NEAR, (block + 2) * _NEAR)
        return known

    def _edges(self, begin: float, reach: float, low: int, high: int) -> tuple[float, float]:
        near = [box for box in self._boxes[max(0, low) : high] if box is not None and -reach <= box[0] - begin <= reach]
        rights = sorted((box[2] for box in near), reverse=True)
        # One line may stick out: a mark that hangs, a formula.
        return min(box[0] for box in near), rights[1 if len(rights) >= _LEAST_ROWS else 0]

    def hangs(self, index: int, em: float) -> bool:
        """Whether the row after ``index`` begins where that one does: an indent that stays is no paragraph's first."""
        here = self._boxes[index]
        after = self._boxes[index + 1] if index + 1 < len(self._boxes) else None
        return here is not None and after is not None and abs(after[0] - here[0]) <= 0.3 * em


def flowing(lines: Sequence[tuple[Piece, Piece]]) -> list[bool]:
    """Return for each line of a page, in the order given, whether it continues the paragraph of the one before it.

    A line is given by its beginning and its end, which stand apart where two printed lines were made one. A line that
    stands above the one before it begins a new column.
    """
    told: list[bool] = []
    before: Row | None = None
    for region in _falling(lines):
        its = [Row((begin,)) for begin, _ in region]
        fit = Fit(its, exact=True)
        for index, (row, (_, end)) in enumerate(zip(its, region, strict=True)):
            told.append(before is not None and continues(before, row, fit, index))
            before = Row((end,))
    return told


def _falling(lines: Sequence[tuple[Piece, Piece]]) -> Iterator[list[tuple[Piece, Piece]]]:
    """Cut lines where they jump up the page."""
    region: list[tuple[Piece, Piece]] = []
    for line in lines:
        if region and line[0].y1 < region[-1][1].y0:
            yield region
            region = []
        region.append(line)
    if region:
        yield region


def continues(before: Row, row: Row, fit: Fit, index: int) -> bool:
    """Whether ``row``, the ``index``-th of its region, goes on where ``before`` was full."""
    if len(before.pieces) > 1 or len(row.pieces) > 1:
        return False
    here, there = before.pieces[0], row.pieces[0]
    one, two = here.y1 - here.y0, there.y1 - there.y0
    em, larger = (one, two) if one < two else (two, one)
    if there.x0 >= here.x1 - 0.3 * larger and _is_same_line(here, there, em, larger):
        return True
    if em <= 0 or larger > fit.sizes * em or (index and there.y0 - here.y1 > fit.gap):
        return False
    left, right = fit.edges(index, em)
    if not index:  # at the top of a region: the line before stands elsewhere, and how far above says nothing
        full = here.x1 - here.x0 >= 0.9 * (right - left)
        return full and there.x0 - left <= em and not _is_stopped(here.text) and _may_join(here.text, there.text)
    indented = there.x0 - left > 1.2 * em and there.x0 - here.x0 > 0.5 * em
    if indented and not fit.hangs(index, em):  # an indent begins a paragraph
        return False
    return right - here.x1 <= _room(here.text, there, em) and _may_join(here.text, there.text)


def _is_same_line(here: Piece, there: Piece, smaller: float, em: float) -> bool:
    """Whether ``there`` stands right behind ``here``: a raised figure and what follows it are no lines of their own."""
    level = min(here.y1, there.y1) - max(here.y0, there.y0) >= _LEVEL * smaller
    return smaller > 0 and level and there.x0 - here.x1 <= em


def _is_stopped(line: str) -> bool:
    return _STOP.search(line[-_TAIL:]) is not None


def _may_join(here: str, there: str) -> bool:
    return not (LIST_START.match(there) or _is_head(here) or _is_head(there))


@lru_cache(maxsize=4)  # each line is asked about twice in a row
def _is_head(line: str) -> bool:
    return heading_level(line) > 0


def _room(here: str, there: Piece, em: float) -> float:
    """How much of a full line may stay empty: what the next word, or two Han characters, would have needed."""
    text = there.text
    han_before, han_after = bool(_HAN_SIDE.match(here[-1:])), bool(_HAN_SIDE.match(text[:1]))
    least = (0.8 if _is_stopped(here) else 2.2) * em
    if han_after:
        return least
    word = _WORD.match(text)
    size = len(word.group()) if word else 0
    units = len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))  # Han are two wide
    needed = (size + 1.5) * (there.x1 - there.x0) / max(1, units)
    return max(least, needed if size > 1 else least) if han_before else needed
