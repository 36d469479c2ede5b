"""Lines of printed pages → paragraphs: which line goes on the one before it, and how the two are joined (pitfall P4).

Where a page's geometry is known, it decides; else how full a line is, the same way for Chinese and Latin scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from pipeline.intake.flow import LIST_START
from pipeline.intake.structure import heading_level

_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U00020000-\U0003ffff]+"
)
_HAN_SIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_MARK = re.compile("[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]")  # takes a space's place
_SPACED = re.compile("[A-Za-z0-9] (?=[\u4e00-\u9fff])|[\u4e00-\u9fff] (?=[A-Za-z0-9])")
_UNSPACED = re.compile("[A-Za-z0-9](?=[\u4e00-\u9fff])|[\u4e00-\u9fff](?=[A-Za-z0-9])")
_STOP = re.compile("[。！？!?；;：:…．.][”’\"'」』）)]*$")
_LEADER = re.compile(r"(?:[.·…_]\s?){5,}\s*\S{0,8}$")  # dots that lead to a number: a line of a table of contents
_TAIL = 6
_LEADERS = ("..", ". .", "…", "··", "· ·", "__")
_FIGURE = re.compile(r"(?<!\S)[-+(¥$￥]?\d[\d,.%/:)-]*(?!\S)")
HYPHEN_MARK = "\ufffe"  # pdfium's own, for a hyphen at the end of a line; it may swallow the line end as well
BREAKS = re.compile("[-\u2010]\\s*\n|\ufffe")  # where a word may be broken
# Latin only, and bounded: a class with Han in it would walk every run of Han anew from each of its characters.
_LATIN = "[A-Za-z\u00c0-\u024f]"
_LEFT = re.compile(f"{_LATIN}{{1,40}}$")
_RIGHT = re.compile(f"\\s*({_LATIN}{{1,40}})")
_HALVES = re.compile(f"{_LATIN}{{1,40}}(?:[-\u2010\ufffe][^\\S\n]*\n\\s*|\ufffe){_LATIN}{{1,40}}")
_WORD = re.compile(f"{_LATIN}{{3,}}")


@dataclass(frozen=True)
class Line:
    """``columns``: its width, Han counting two. ``goes_on``: what geometry says of it and the line before."""

    start: int
    end: int
    page: int  # 0-based
    columns: int
    goes_on: bool | None = None
    table: bool = False


def vocabulary(text: str) -> frozenset[str]:
    """The words that stand whole in ``text``: halves of broken ones are left out."""
    return frozenset(_WORD.findall(_HALVES.sub(" ", text).lower()))


def unbroken(text: str, words: frozenset[str]) -> list[tuple[int, int, str]]:
    """Edits that undo pdfium's hyphen marks: nothing where the joined word is one of the text's, else a hyphen."""
    edits: list[tuple[int, int, str]] = []
    at = text.find(HYPHEN_MARK)
    while at >= 0:
        left, right = _LEFT.search(text[max(0, at - 40) : at]), _RIGHT.match(text, at + 1)
        if left and right:
            known = (left.group() + right.group(1)).lower() in words
            edits.append((at, right.start(1), "" if known else "-"))
        else:
            edits.append((at, at + 1, "-"))
        at = text.find(HYPHEN_MARK, at + 1)
    return edits


def lines_of(
    text: str, starts: Sequence[int], known: Sequence[frozenset[int] | None], tables: Sequence[tuple[int, int]]
) -> list[Line]:
    """Non-empty lines. ``known[page]``: starts of lines that go on; None: geometry was not read."""
    lines: list[Line] = []
    within = iter(sorted(tables))
    table = next(within, None)
    for page, (start, stop) in enumerate(pairwise([*starts, len(text) + 1])):
        at, asked = start, known[page]
        for line in text[start : stop - 1].split("\n"):
            stripped = line.strip()
            if stripped:
                left = at + len(line) - len(line.lstrip())
                wide = 0 if stripped.isascii() else sum(map(len, _WIDE.findall(stripped)))
                while table is not None and table[1] <= left:
                    table = next(within, None)
                inside = table is not None and table[0] <= left
                goes_on = None if asked is None else left in asked
                lines.append(Line(left, left + len(stripped), page, len(stripped) + wide, goes_on, inside))
            at += len(line) + 1
    return lines


def joined(
    text: str, kept: Sequence[Line], words: frozenset[str], ocr: Sequence[bool]
) -> Iterable[tuple[int, int, str]]:
    """Edits that leave only ``kept`` and join it into paragraphs; one newline stays between two.

    ``ocr`` says of each page whether a machine read it off a picture: such text is never joined with other text.
    """
    full = _full_widths(kept)
    between = " " if _is_spaced(text) else ""
    at, seam = 0, ""
    for line, following in zip_longest(kept, kept[1:]):
        yield at, line.start, seam
        at, seam = line.end, ""
        if following is not None:
            seam = "\n"
            apart = following.page - line.page > 1 or ocr[following.page] != ocr[line.page]
            if not apart and _goes_on(text, line, following, full[line.page]):
                cut, seam = _seam(text, line, following, words, between)
                at -= cut
    yield at, len(text), ""


def _full_widths(lines: Sequence[Line]) -> dict[int, float]:
    """Columns of a full line, per page: nine tenths of its lines are no wider."""
    widths: dict[int, list[int]] = {}
    for line in lines:
        widths.setdefault(line.page, []).append(line.columns)
    return {page: sorted(its)[int(0.9 * (len(its) - 1))] for page, its in widths.items()}


def _goes_on(text: str, line: Line, following: Line, full: float) -> bool:
    """Whether ``following`` continues the paragraph of ``line``: the line was full, and no new item begins."""
    if line.table or following.table:
        return False
    known = following.goes_on if line.page == following.page else None
    if known is False:
        return False
    here, there = text[line.start : line.end], text[following.start : following.end]
    if _is_entry(here) or _is_entry(there) or (_is_figures(here) and _is_figures(there)):
        return False
    if known:
        return True
    if full < 16 or LIST_START.match(there) or heading_level(here) or heading_level(there):
        return False
    if "\u3000" in text[line.end : following.start]:  # an indent
        return False
    stopped = bool(_STOP.search(here[-_TAIL:]))
    if stopped and line.page != following.page:
        return False
    if _HAN_SIDE.match(here[-1]) or _HAN_SIDE.match(there[0]):
        return line.columns >= (0.93 if stopped else 0.8) * full
    word = there.split(None, 1)[0]
    fitted = line.columns + 1 + len(word) <= full  # the next word had room: the author ended the line
    return not fitted if stopped else not fitted or (line.columns >= 0.6 * full and there[0].islower())


def _is_entry(line: str) -> bool:
    """A line of a table of contents."""
    return any(mark in line for mark in _LEADERS) and bool(_LEADER.search(line))


def _is_figures(line: str) -> bool:
    """A row of a table without rules: half of its words are numbers, and there are several."""
    figures = len(_FIGURE.findall(line))
    return figures >= 3 and figures >= 0.5 * len(line.split())


def _is_spaced(text: str) -> bool:
    """Whether a space stands between Han and letters inside this text's lines; some authors set one, most do not."""
    return len(_SPACED.findall(text)) > len(_UNSPACED.findall(text))


def _seam(text: str, line: Line, following: Line, words: frozenset[str], between: str) -> tuple[int, str]:
    """How two lines join: ``(characters to drop at the end of the first, what to put between)``.

    ``between``: what stands between Han and letters in this text.
    """
    here, there = text[line.start : line.end], text[following.start : following.end]
    if here[-1] in "-\u2010" and there[0].islower():
        left, right = _LEFT.search(here[-41:-1]), _RIGHT.match(there)
        whole = bool(left and right and (left.group() + right.group(1)).lower() in words)
        return (1, "") if whole else (0, "")
    left_wide, right_wide = bool(_HAN_SIDE.match(here[-1])), bool(_HAN_SIDE.match(there[0]))
    if left_wide and right_wide:
        return 0, ""
    if _MARK.match(here[-1]) or _MARK.match(there[0]):
        return 0, ""
    return 0, between if left_wide or right_wide else " "
