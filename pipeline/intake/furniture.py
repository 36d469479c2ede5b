"""What every page repeats at its edges: headers, footers, page numbers (pitfall P5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipeline.domain.source import Removed
from pipeline.intake.lines import Line

_EDGE_LINES = 3
_PAGE_NUMBER = re.compile(
    r"[-–—·\s]*(?:第\s*)?(?P<number>\d{1,4})(?:\s*页)?[-–—·\s]*"
    r"|第?\s*(?P<of>\d{1,4})\s*页?\s*[,，/]?\s*共\s*\d{1,4}\s*页"
    r"|(?:page\s*)?(?P<page>\d{1,4})\s*(?:/|of)\s*\d{1,4}",
    re.IGNORECASE,
)
_MAX_KEPT = 200


def furniture(text: str, lines: Sequence[Line], pages: int) -> frozenset[Line]:
    """Lines at a page's edge that more than half of the pages (or of the left or right ones) repeat, digits apart."""
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    corners = {line for its in by_page.values() for line in (*its[:2], *its[-2:])}
    numbers = {line for line in corners if page_number(_at(text, line)) is not None}
    if pages < 3:
        return frozenset(numbers)
    edges = [(page, line) for page, its in by_page.items() for line in {*its[:_EDGE_LINES], *its[-_EDGE_LINES:]}]
    keys = {line: _key(_at(text, line)) for _, line in edges}
    counts: Counter[tuple[str, int]] = Counter()
    for page, found in {(page, keys[line]) for page, line in edges}:
        counts[found, page % 2] += 1
    sides = {side: sum(1 for page in by_page if page % 2 == side) for side in (0, 1)}

    def repeated(found: str) -> bool:
        both = counts[found, 0] + counts[found, 1] > len(by_page) / 2
        return both or any(counts[found, side] > max(2, sides[side] / 2) for side in (0, 1))

    return frozenset(numbers.union(line for _, line in edges if not line.table and repeated(keys[line])))


def _at(text: str, line: Line) -> str:
    return text[line.start : line.end]


def _key(line: str) -> str:
    return re.sub(r"\d+", "#", "".join(line.split()))


def page_number(line: str) -> int | None:
    """The number that a line is, when it is nothing else."""
    found = _PAGE_NUMBER.fullmatch(line)
    return int(next(group for group in found.groups() if group)) if found else None


def ledger(text: str, found: frozenset[Line]) -> tuple[Removed, ...]:
    """Each header and footer once, as first printed; page numbers are kept as labels instead (rule SRC-8)."""
    seen: dict[str, str] = {}
    for line in sorted(found, key=lambda line: line.start):
        words = _at(text, line)
        if page_number(words) is None:
            seen.setdefault(_key(words), words)
    return tuple(Removed("furniture", words) for words in list(seen.values())[:_MAX_KEPT])


def printed_labels(text: str, found: frozenset[Line], pages: int) -> tuple[str, ...]:
    """The numbers printed on the pages, if they count up with them; () when they do not, or are the plain count."""
    shifts: Counter[int] = Counter()
    for line in found:
        number = page_number(_at(text, line))
        if number is not None:
            shifts[number - line.page] += 1
    if not shifts:
        return ()
    shift, count = shifts.most_common(1)[0]
    if shift == 1 or count < max(3, pages // 2):
        return ()
    return tuple(str(page + shift) if page + shift > 0 else "" for page in range(pages))
