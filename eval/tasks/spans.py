"""``python -m eval spans --data DIR [--seed N] [--count N]``: random spans of real sources, raw against canonical.

Every page of DIR/html and PDF of DIR/pdf that can be read without OCR gives its text; from all of them COUNT spans of 1
to 200 characters are drawn, sources first and then places, so that a short page counts as much as a long book. A span
agrees when its raw slice, found through the offset map, says the same words (rule SRC-4). A second figure leaves out
what the reader took away inside the span (a page number, a hyphen at a line's end): there the slice of raw text holds
more than the canonical one by design, and the two are compared run by run.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, SourceLimits
from pipeline.domain.text import raw_span, same_words
from pipeline.intake.extract import extract
from pipeline.intake.route import route

_FOLDERS = ("html", "pdf")
_LONGEST = 200


def readings(folder: Path) -> Iterator[tuple[str, Extraction]]:
    for part in _FOLDERS:
        for path in sorted((folder / part).glob("*")) if (folder / part).is_dir() else ():
            data = path.read_bytes()
            try:
                kind = route(data, name=path.name, limits=SourceLimits())
                found = extract(data, name=path.name, kind=kind)
            except InputRejected:
                continue
            if found.text and path.suffix != ".jsonl":
                yield f"{part}/{path.name}", found


def kept_words(found: Extraction, start: int, end: int) -> tuple[str, str]:
    """Return what the map's runs inside a span hold on the raw side and on the canonical side."""
    raw, canonical = [], []
    for raw_start, raw_end, low, high in found.offsets.runs:
        first, last = max(low, start), min(high, end)
        if first >= last:
            continue
        in_step = raw_end - raw_start == high - low
        raw.append(
            found.raw[raw_start + first - low : raw_start + last - low] if in_step else found.raw[raw_start:raw_end]
        )
        canonical.append(found.text[first:last] if in_step else found.text[low:high])
    return "".join(raw), "".join(canonical)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--count", type=int, default=1_000)
    chosen = parser.parse_args()
    read = list(readings(chosen.data))
    chance = random.Random(chosen.seed)
    drawn: Counter[str] = Counter()
    differ: list[str] = []
    by_runs = 0
    for _ in range(chosen.count):
        name, found = chance.choice(read)
        start = chance.randrange(len(found.text))
        end = min(len(found.text), start + chance.randint(1, _LONGEST))
        low, high = raw_span(found.offsets, start, end)
        by_runs += same_words(*kept_words(found, start, end))
        drawn[name.split("/", 1)[0]] += 1
        if not same_words(found.raw[low:high], found.text[start:end]):
            differ.append(f"  {name} {start}:{end} {found.text[start:end]!r:.60} | {found.raw[low:high]!r:.60}")
    print(f"sources {len(read)}; spans {chosen.count} ({dict(drawn)}), seed {chosen.seed}")
    print(f"agree {chosen.count - len(differ)} of {chosen.count}; without what was taken out {by_runs}")
    print(*differ[:20], sep="\n")


if __name__ == "__main__":
    main()
