r"""Text with a memory: every change of a text keeps a map back to what it was (rules SRC-4, EVD-2).

Two forms, and no third:

* **canonical**: the source's own characters, without what nobody sees (zero-width, bidi, control, soft hyphen,
  variation selectors, tag block) and with ``\n`` as the only line end. It is stored, and all offsets count in it. No
  Unicode normalisation is done: NFC and NFKC would rewrite what the source says (10² is not 102).
* **folded**: for comparing only. Full and half width, quotes, dashes, radicals that stand for characters, ligatures
  and white space are made equal; digits, units, names and negations are untouched.

Work is done by regular expressions over runs, never by a loop over characters: a text of 2 MB takes well under a
second. Offsets are code points, half-open.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable

from pipeline.domain.source import OffsetMap

Run = tuple[int, int, int, int]

_IGNORED = (
    "\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f"  # controls; \t \n \v \f \r and NEL are white space
    "\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffc\U000e0000-\U000e01ef"
)
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Punctuation that takes a Han character's place: a space beside it says nothing.
_WIDE = "\u3001-\u3004\u3008-\u3020\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"

# Radicals that PDF fonts give for whole characters and that Unicode maps to nothing (it maps the Kangxi block).
_RADICALS = str.maketrans(
    "⺁⺌⺗⺝⺟⺠⺫⺮⺳⺸⻁⻄⻅⻆⻉⻋⻌⻑⻓⻔⻘⻙⻚⻛⻜⻝⻞⻢⻣⻤⻥⻦⻧⻨⻩⻫⻬⻭⻮⻰⻱⻲⻳",
    "厂小心月母民目竹网羊虎西见角贝车辶長长门青韋页风飞食食马骨鬼鱼鸟卤麦黄斉齐歯齿龙龜龜龟",
)
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\uf900-\ufaff\U0002f800-\U0002fa1f]+")
_LIGATURE = re.compile("[\ufb00-\ufb06]")

_INVISIBLE = re.compile(f"[{_IGNORED}]+|\r(?=\n)|[\r\u000b\u000c\u0085\u2028\u2029]|[\ud800-\udfff]")
_SPACES = re.compile(
    f"(?<=[{_HAN}{_WIDE}])[\\s{_IGNORED}]+(?=[{_HAN}{_WIDE}])"  # between Han: nothing
    f"|[\\s{_IGNORED}]{{2,}}|[^\\S ]|[{_IGNORED}]"  # else one space, if there was any
    "|[\ufb00-\ufb06]"
)
_SPACE = re.compile(r"\s")
_BESIDE_HAN = re.compile(f"[{_HAN}{_WIDE}]")
_PRESENTATION: dict[int, str] = {
    **{c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "“”„‟«»「」﹁﹂〝〞＂"), '"'),
    **dict.fromkeys(map(ord, "‘’‚‛‹›『』﹃﹄＇"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–—―−⸺⸻﹘﹣－"), "-"),
    ord("￥"): "¥",
    ord("￡"): "£",
    ord("￠"): "¢",
    ord("｡"): "。",
    ord("､"): "、",
    ord("･"): "・",
}


def _apply(text: str, edits: Iterable[tuple[int, int, str]]) -> tuple[str, OffsetMap]:
    """Replace ``(start, end, new)`` ranges, ascending and disjoint; a map run breaks only where a length changes."""
    parts: list[str] = []
    runs: list[Run] = []
    copied = 0  # text before this offset is in ``parts``
    run_raw = run_new = 0  # where the open run of equal lengths starts
    shift = 0  # new offset − raw offset at ``copied``
    for start, end, new in edits:
        parts += (text[copied:start], new)
        copied = end
        grown = len(new) - (end - start)
        if grown == 0:
            continue
        if start > run_raw:
            runs.append((run_raw, start, run_new, start + shift))
        if new:
            runs.append((start, end, start + shift, start + shift + len(new)))
        shift += grown
        run_raw, run_new = end, end + shift
    parts.append(text[copied:])
    if len(text) > run_raw:
        runs.append((run_raw, len(text), run_new, len(text) + shift))
    return "".join(parts), OffsetMap(tuple(runs))


def apply_edits(text: str, edits: Iterable[tuple[int, int, str]]) -> tuple[str, OffsetMap]:
    """Return ``text`` with the ranges ``(start, end, replacement)`` replaced, and the map.

    Raises:
        ValueError: the ranges are not ascending and disjoint.
    """
    checked: list[tuple[int, int, str]] = []
    last = 0
    for start, end, new in edits:
        if not last <= start <= end <= len(text):
            raise ValueError(f"edit {start}:{end} after {last} of {len(text)}")
        last = end
        checked.append((start, end, new))
    return _apply(text, checked)


def canonicalise(raw: str) -> tuple[str, OffsetMap]:
    """Return the canonical text of ``raw`` and the map between them (rule SRC-4)."""

    def replacement(found: str) -> str:
        if found in "\r\u000b\u000c\u0085\u2028\u2029":
            return "\n"
        return "\ufffd" if "\ud800" <= found <= "\udfff" else ""

    edits: list[tuple[int, int, str]] = []
    for match in _INVISIBLE.finditer(raw):
        before_newline = match.group() == "\r" and raw.startswith("\n", match.end())
        edits.append((match.start(), match.end(), "" if before_newline else replacement(match.group())))
    return _apply(raw, edits)


def compatible_han(text: str) -> str:
    """Return ``text`` with radicals and compatibility ideographs as the characters they stand for; same length."""
    return _COMPATIBLE.sub(_compatible, text)


def _compatible(match: re.Match[str]) -> str:
    return "".join(
        folded if len(folded := unicodedata.normalize("NFKC", c)) == 1 else c for c in match.group()
    ).translate(_RADICALS)


def print_forms(text: str) -> tuple[str, OffsetMap]:
    """Undo what fonts did to characters: radicals, compatibility Han and Latin ligatures, with the map.

    For text out of a PDF, where these forms are the font's and not the author's.
    """
    text = compatible_han(text)
    return _apply(
        text, [(m.start(), m.end(), unicodedata.normalize("NFKC", m.group())) for m in _LIGATURE.finditer(text)]
    )


def fold(text: str) -> tuple[str, OffsetMap]:
    """Return the comparing form of ``text`` and the map text ↔ folded (rule EVD-2); folding twice changes nothing."""

    def replacement(match: re.Match[str]) -> str:
        found = match.group()
        if "\ufb00" <= found <= "\ufb06":
            return unicodedata.normalize("NFKC", found)
        start, end = match.span()
        between_han = start > 0 and _BESIDE_HAN.match(text, start - 1) and _BESIDE_HAN.match(text, end)
        return " " if not between_han and _SPACE.search(found) else ""

    folded, offsets = _apply(text, [(m.start(), m.end(), replacement(m)) for m in _SPACES.finditer(text)])
    return compatible_han(folded).translate(_PRESENTATION), offsets


def find_quote(quote: str, text: str) -> tuple[tuple[int, int], ...]:
    """Return where ``quote`` stands in ``text``, exactly, once both are folded; () when it does not (rule EVD-2)."""
    needle = fold(quote)[0].strip(" ")
    if not needle:
        return ()
    folded, offsets = fold(text)
    found: list[tuple[int, int]] = []
    at = folded.find(needle)
    while at >= 0:
        found.append(raw_span(offsets, at, at + len(needle)))
        at = folded.find(needle, at + 1)
    return tuple(found)


def same_words(first: str, second: str) -> bool:
    """Whether two texts are equal after presentation folding (rule EVD-2); a space more at an end is a difference."""
    return fold(first)[0] == fold(second)[0]


def _project(runs: tuple[Run, ...], start: int, end: int, source: int) -> tuple[int, int]:
    """Map a span through ``runs`` from side ``source`` (0 raw, 2 new) to the other; cheap: two binary searches."""
    target = 2 - source
    if not runs:
        return 0, 0

    def starts_at(run: Run) -> int:
        return run[source]

    index = max(0, bisect_right(runs, start, key=starts_at) - 1)
    if start >= runs[index][source + 1] and index + 1 < len(runs):
        index += 1  # what stood here has no counterpart: the next run is the nearest
    low = _inside(runs[index], start, source, target, runs[index][target])
    if end <= start:
        return low, low
    last = runs[max(0, bisect_right(runs, end - 1, key=starts_at) - 1)]
    return low, max(low, _inside(last, end, source, target, last[target + 1]))


def _inside(run: Run, offset: int, source: int, target: int, whole: int) -> int:
    if run[source + 1] - run[source] != run[target + 1] - run[target]:
        return whole
    return run[target] + min(max(offset - run[source], 0), run[source + 1] - run[source])


def raw_span(offsets: OffsetMap, start: int, end: int) -> tuple[int, int]:
    """Return the raw range that the new text's ``[start, end)`` came from."""
    return _project(offsets.runs, start, end, 2)


def new_span(offsets: OffsetMap, raw_start: int, raw_end: int) -> tuple[int, int]:
    """Return the range of the new text that the raw ``[raw_start, raw_end)`` became; empty when it was removed."""
    return _project(offsets.runs, raw_start, raw_end, 0)


def compose(first: OffsetMap, second: OffsetMap) -> OffsetMap:
    """Return the map raw → last, given raw → middle and middle → last; one pass over both."""
    merged: list[Run] = []
    index = 0
    used = -1  # a run of unequal lengths gives its raw range once
    for mid_start, mid_end, start, end in second.runs:
        if mid_end - mid_start != end - start:
            merged.append((*raw_span(first, mid_start, mid_end), start, end))
            continue
        while index < len(first.runs) and first.runs[index][3] <= mid_start:
            index += 1
        at = index
        while at < len(first.runs) and first.runs[at][2] < mid_end:
            raw_low, raw_high, low, high = first.runs[at]
            cut_low, cut_high = max(low, mid_start), min(high, mid_end)
            if raw_high - raw_low == high - low:
                raw_low, raw_high = raw_low + cut_low - low, raw_low + cut_high - low
            elif at == used:
                raw_low = raw_high
            else:
                used = at
            merged.append((raw_low, raw_high, start + cut_low - mid_start, start + cut_high - mid_start))
            at += 1
    return OffsetMap(_joined(merged))


def _joined(runs: list[Run]) -> tuple[Run, ...]:
    """Neighbouring runs that move in step become one, so that a map stays as small as its edits."""
    out: list[Run] = []
    for run in runs:
        last = out[-1] if out else None
        if (
            last
            and last[1] == run[0]
            and last[3] == run[2]
            and last[1] - last[0] == last[3] - last[2]
            and run[1] - run[0] == run[3] - run[2]
        ):
            out[-1] = (last[0], run[1], last[2], run[3])
        else:
            out.append(run)
    return tuple(out)
