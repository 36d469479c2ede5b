"""``python -m eval subtitles --data DIR``: every subtitle file of DIR/MANIFEST.tsv, read as the product reads it.

The manifest is tab-separated with a header; ``path`` begins with ``subs/`` and the last column is JSON with what is
known of the file (``cues``, ``first_ms``, ``last_end_ms`` …). Exits 1 when anything known does not hold.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eval.scorers.subtitles import SubtitleScore, score
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, ReadHints, SourceLimits
from pipeline.intake.extract import extract
from pipeline.intake.route import route


def rows(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield each subtitle file of the manifest with what is known of it."""
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["path"].startswith("subs/"):
                yield folder / row["path"], json.loads(row["expected"] or "{}")


def read(path: Path) -> tuple[Extraction | InputRejected, float]:
    """Route and read one file; seconds."""
    data, limits = path.read_bytes(), SourceLimits()
    started = time.perf_counter()
    try:
        kind = route(data, name=path.name, limits=limits)
        found: Extraction | InputRejected = extract(data, name=path.name, kind=kind, limits=limits, hints=ReadHints())
    except InputRejected as refused:
        found = refused
    return found, time.perf_counter() - started


def line(s: SubtitleScore) -> str:
    counted = f"{s.cues:5}+{s.merged:<4} {'-' if s.expected_cues is None else s.expected_cues:>5}"
    said = "; ".join(s.problems) or "ok"
    return (
        f"{s.name:38} {s.outcome:32} {counted} {sum(s.leaks.values()):5} {s.repeats:7} {s.chars:7}"
        f" {s.seconds * 1_000:7.0f} {s.codec:8} {' '.join(s.notes):45} {said}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    chosen = parser.parse_args()
    print(f"{'file':38} {'outcome':32}  cues+merged  known leaks repeats   chars      ms codec    notes")
    scores = []
    for path, known in rows(chosen.data):
        found, seconds = read(path)
        scores.append(score(path.name, found, known, seconds=seconds))
        print(line(scores[-1]))
    wrong = [s for s in scores if s.problems]
    print(f"{len(scores)} files, {len(scores) - len(wrong)} as known, {len(wrong)} not")
    sys.exit(1 if wrong or not scores else 0)


if __name__ == "__main__":
    main()
