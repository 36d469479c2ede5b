"""``python -m eval pages --data DIR [--only WORD] [--out FILE]``: every page of DIR/html, read and compared.

Beside each reading stands bare trafilatura on the same bytes in the same run. DIR/html/groundtruth.jsonl gives, per
``file``: ``text`` (gold), ``must_contain`` and ``must_not_contain`` (segments), ``title``, ``url``; each is optional.
DIR/MANIFEST.tsv, where there is one, names error pages (``ERROR page``) and encodings (``encoding NAME``).
Nothing is cached: each page is read anew, in this process.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import trafilatura

from eval.scorers.pages import Overlap, held, mojibake, overlap, same_title
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, ReadHints, SourceLimits
from pipeline.intake.extract import extract
from pipeline.intake.route import route

_ENDINGS = (".html", ".xml", ".htm")


@dataclass(frozen=True)
class Row:
    """One page: the reading or the refusal, and both texts' scores where there is a gold."""

    file: str
    found: Extraction | None
    reason: str  # of a refusal, with its values
    ours_ms: float
    bare_ms: float
    bare_text: str
    gold: dict[str, Any]
    expected: str  # what the manifest says of the file
    mojibake: int

    @property
    def text(self) -> str:
        return self.found.text if self.found else ""

    def scored(self) -> tuple[Overlap, Overlap] | None:
        """Return the overlap of our text and of trafilatura's with the gold text; None without a gold text."""
        if not self.gold.get("text"):
            return None
        return overlap(self.gold["text"], self.text), overlap(self.gold["text"], self.bare_text)

    def segments(self, key: str) -> tuple[int, int, int] | None:
        """Return held by ours, held by trafilatura, and how many there are."""
        wanted = self.gold.get(key)
        return (held(wanted, self.text), held(wanted, self.bare_text), len(wanted)) if wanted else None


def read_page(path: Path, gold: dict[str, Any], expected: str) -> Row:
    data = path.read_bytes()
    found, reason = None, ""
    started = time.perf_counter()
    try:
        kind = route(data, name=path.name, limits=SourceLimits())
        found = extract(data, name=path.name, kind=kind, hints=ReadHints(address=gold.get("url")))
    except InputRejected as error:
        reason = " ".join([error.reason, *map(str, error.values.values())])
    ours = time.perf_counter() - started
    started = time.perf_counter()
    text = trafilatura.extract(data) or ""
    bare_ms = 1_000 * (time.perf_counter() - started)
    wrong = mojibake(found.text, own=_cleanly(data, found.codec)) if found else 0
    return Row(path.name, found, reason, 1_000 * ours, bare_ms, text, gold, expected, wrong)


def _cleanly(data: bytes, codec: str | None) -> str:
    """The bytes by the chosen codec if that never fails, else nothing."""
    try:
        return data.decode(codec or "utf-8")
    except UnicodeDecodeError:
        return ""


def read_all(folder: Path, only: str) -> list[Row]:
    golds: dict[str, dict[str, Any]] = {}
    if (listed := folder / "html" / "groundtruth.jsonl").exists():
        golds = {row["file"]: row for row in map(json.loads, listed.read_text(encoding="utf-8").splitlines())}
    notes: dict[str, str] = {}
    if (manifest := folder / "MANIFEST.tsv").exists():
        for line in manifest.read_text(encoding="utf-8").splitlines():
            name, _, rest = line.partition("\t")
            notes[name] = rest
    pages = sorted(path for path in (folder / "html").iterdir() if path.suffix in _ENDINGS and only in path.name)
    return [read_page(path, golds.get(path.name, {}), notes.get(f"html/{path.name}", "")) for path in pages]


def line(row: Row) -> str:
    state = row.found.quality if row.found else row.reason
    cells = [f"{row.file[:52]:52}", f"{state[:38]:38}", f"{len(row.text):7,}", f"{row.ours_ms:7.0f} {row.bare_ms:7.0f}"]
    if scores := row.scored():
        ours, bare = scores
        cells.append(f"F1 {ours.f1:.3f} ({ours.precision:.2f}/{ours.recall:.2f}) bare {bare.f1:.3f}")
    for key, word in (("must_contain", "must"), ("must_not_contain", "leaks")):
        if counted := row.segments(key):
            cells.append(f"{word} {counted[0]} bare {counted[1]} of {counted[2]}")
    if row.gold.get("title") and row.found and not same_title(row.gold["title"], row.found.title):
        cells.append(f"TITLE {row.found.title[:40]!r}")
    if row.mojibake:
        cells.append(f"MOJIBAKE {row.mojibake}")
    if "ERROR page" in row.expected and not row.reason.startswith("blocked_page"):
        cells.append("NOT BLOCKED")
    return "  ".join(cells)


def totals(rows: list[Row]) -> list[str]:
    scores = [(row.file, *scored) for row in rows if (scored := row.scored())]
    out = [f"pages {len(rows)}; read {sum(row.found is not None for row in rows)}"]
    if scores:
        ours, bare = fmean(s[1].f1 for s in scores), fmean(s[2].f1 for s in scores)
        out.append(f"mean F1 {ours:.4f} over {len(scores)} golds; bare trafilatura {bare:.4f}")
        under = [f"{file} {own.f1:.3f}" for file, own, _ in scores if own.f1 < 0.75]
        out.append(f"under .75: {', '.join(under) or 'none'}")
        wechat = [own.f1 for file, own, _ in scores if "wechat" in file]
        if wechat:
            out.append(f"WeChat articles: {', '.join(f'{f:.3f}' for f in wechat)}")
    for key, word in (("must_contain", "must"), ("must_not_contain", "must-not leaks")):
        counted = [c for row in rows if (c := row.segments(key))]
        if counted:
            out.append("{}: {} of {}; bare {}".format(word, *(_sum(counted, i) for i in (0, 2, 1))))
    errors = [row for row in rows if "ERROR page" in row.expected]
    out.append(f"error pages blocked: {sum(r.reason.startswith('blocked_page') for r in errors)} of {len(errors)}")
    out.append(f"characters lost to a wrong codec: {sum(row.mojibake for row in rows)}")
    titled = [row for row in rows if row.gold.get("title") and row.found]
    right = sum(same_title(row.gold["title"], row.found.title) for row in titled if row.found)
    out.append(f"titles: {right} of {len(titled)}")
    ours_s, bare_s = sum(r.ours_ms for r in rows) / 1_000, sum(r.bare_ms for r in rows) / 1_000
    out.append(f"seconds: ours {ours_s:.2f}, bare trafilatura {bare_s:.2f}, ratio {ours_s / max(bare_s, 1e-9):.2f}")
    return out


def _sum(counted: Iterable[tuple[int, int, int]], index: int) -> int:
    return sum(one[index] for one in counted)


def codecs(rows: list[Row]) -> list[str]:
    """The chosen codec beside the manifest's word, where it has one."""
    out = []
    for row in rows:
        told = re.search(r"encoding (\w+)", row.expected)
        if told:
            out.append(f"{row.file[:52]:52}  manifest {told.group(1)}, read as {row.found.codec if row.found else '-'}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="", help="pages whose name holds this")
    parser.add_argument("--out", type=Path, help="also write the texts, one JSON line each")
    chosen = parser.parse_args()
    rows = read_all(chosen.data, chosen.only)
    print(f"{'page':52}  {'quality or reason':38}    chars    ms ours / bare")
    for row in rows:
        print(line(row))
    print("\n".join([*codecs(rows), *totals(rows)]))
    if chosen.out:
        texts = (
            {"file": row.file, "text": row.text, "title": row.found.title if row.found else "", "reason": row.reason}
            for row in rows
        )
        chosen.out.write_text("".join(json.dumps(t, ensure_ascii=False) + "\n" for t in texts), encoding="utf-8")


if __name__ == "__main__":
    main()
