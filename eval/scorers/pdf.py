"""``python -m eval pdf --data DIR [--ocr]``: what the parser's child makes of a folder of PDF files.

DIR holds ``MANIFEST.tsv`` (path, …, expected as JSON in its last column) and ``pdf/``. Expected values are another
extractor's, so ``characters`` is a ratio to look at and no score: white space apart, ours over theirs. ``starts`` says
whether the first words stand at the start of the text. ``radicals`` and ``controls`` count characters that no
canonical text may hold. With ``--ocr`` unread pages are recognised and the file is read again.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import Extraction, InputType, OcrPage, Quality, ReadHints, SourceLimits
from pipeline.domain.text import fold, raw_span
from pipeline.providers.ocr_rapid import RapidRecogniser
from pipeline.providers.parse_child import ParseChild

_RADICALS = re.compile("[\u2e80-\u2fdf]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ufffd]")
_HYPHEN_MARK = "\ufffe"  # pdfium's; a hyphen in the canonical text
_START = 50  # characters of the expected beginning, white space apart
_WITHIN = 400


@dataclass(frozen=True)
class Scored:
    name: str
    outcome: str  # quality, or the reason of a refusal, or how the child died
    expected: str
    pages: str  # found/expected
    characters: float | None
    starts: bool | None
    radicals: int
    controls: int
    spans_agree: str  # map runs whose raw and canonical sides are equal, of those of equal length
    unread: int
    recognised: int
    attachments: str  # found/expected
    notes: str
    ms: int
    ocr_ms: int


def squeezed(text: str) -> str:
    return "".join(fold(text)[0].split())


def expectations(folder: Path) -> dict[str, dict[str, Any]]:
    """The manifest's rows of PDF files: name → expected."""
    with (folder / "MANIFEST.tsv").open(encoding="utf-8") as table:
        rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {
            Path(row["path"]).name: json.loads(row["expected"] or "{}")
            for row in rows
            if row["path"].startswith("pdf/")
        }


async def read(data: bytes, name: str, *, ocr: bool, limits: SourceLimits) -> tuple[Extraction, int, int]:
    """Return the reading, and the milliseconds of the parser and of the recogniser."""
    parser = ParseChild(limits)
    started = time.perf_counter()
    found = await parser.parse(data, name=name, kind=InputType.PDF)
    ms = round((time.perf_counter() - started) * 1000)
    if not (ocr and found.unread):
        return found, ms, 0
    started = time.perf_counter()
    recogniser = RapidRecogniser(limits)
    seen: list[OcrPage] = [page async for page in recogniser.recognise(data, kind=InputType.PDF, pages=found.unread)]
    ocr_ms = round((time.perf_counter() - started) * 1000)
    hints = ReadHints(recognised=tuple(seen))
    return await parser.parse(data, name=name, kind=InputType.PDF, hints=hints), ms, ocr_ms


async def score(data: bytes, name: str, expected: dict[str, Any], *, ocr: bool) -> tuple[Scored, str]:
    """Return one file's row and its text; a file that needs a password is unlocked with the expected one first."""
    limits = SourceLimits()
    wanted = _wanted(expected)
    locked = ""
    try:
        if expected.get("password"):
            locked = await _locked(data, name, limits)
            data = await ParseChild(limits).unlock(data, password=expected["password"])
        found, ms, ocr_ms = await read(data, name, ocr=ocr, limits=limits)
    except InputRejected as refused:
        return _refused(name, locked + refused.reason, wanted), ""
    except ChildDied as died:
        return _refused(name, f"{locked}child died: {died.reason}", wanted), ""
    files = expected.get("embedded") or [""] * int(expected.get("fileattachment_annots", 0))
    named = sum(file.name in files or "" in files for file in found.attachments)
    return Scored(
        name=name,
        outcome=locked + found.quality,
        expected=wanted,
        pages=f"{found.pages}/{expected.get('pages', '?')}",
        characters=_ratio(found.text, expected),
        starts=_starts(found.text, expected),
        radicals=len(_RADICALS.findall(fold(found.text)[0])),
        controls=len(_CONTROLS.findall(found.text)),
        spans_agree=_agreement(found),
        unread=len(found.unread),
        recognised=len(found.recognised),
        attachments=f"{named}/{len(files)}",
        notes=" ".join(found.notes),
        ms=ms,
        ocr_ms=ocr_ms,
    ), found.text


async def _locked(data: bytes, name: str, limits: SourceLimits) -> str:
    """What the file says before it is unlocked."""
    try:
        await ParseChild(limits).parse(data, name=name, kind=InputType.PDF)
    except InputRejected as refused:
        return f"{refused.reason} → "
    return "opens without its password → "


def _wanted(expected: dict[str, Any]) -> str:
    if expected.get("password"):
        return "password, then text"
    if expected.get("mupdf_error"):
        return "damaged"
    without = expected.get("pages_without_text", 0)
    return f"{without} of {expected.get('pages', '?')} pages without text" if without else "text"


def _refused(name: str, outcome: str, wanted: str) -> Scored:
    return Scored(name, outcome, wanted, "-", None, None, 0, 0, "-", 0, 0, "-", "", 0, 0)


def _ratio(text: str, expected: dict[str, Any]) -> float | None:
    theirs = expected.get("text_chars")
    return round(len(squeezed(text)) / theirs, 2) if theirs else None


def _starts(text: str, expected: dict[str, Any]) -> bool | None:
    if not expected.get("starts"):
        return None
    return squeezed(expected["starts"])[:_START].lower() in squeezed(text)[: _WITHIN + _START].lower()


def _agreement(found: Extraction) -> str:
    """Canonical text that is not where the map says in the raw text would be a wrong quotation."""
    same = total = 0
    for start, end, low, high in found.offsets.runs:
        if end - start == high - low:
            total += 1
            raw = found.raw[start:end].replace(_HYPHEN_MARK, "-")
            same += squeezed(raw) == squeezed(found.text[low:high])
            same -= raw_span(found.offsets, low, high) != (start, end)
    return f"{same}/{total}"


def run(folder: Path, *, ocr: bool, texts: Path | None, only: str) -> list[Scored]:
    """Score file after file, printing each row as it comes."""
    rows = []
    for name, expected in sorted(expectations(folder).items()):
        if only in name:
            row, text = asyncio.run(score((folder / "pdf" / name).read_bytes(), name, expected, ocr=ocr))
            rows.append(row)
            print(json.dumps(asdict(row), ensure_ascii=False), flush=True)
            if texts is not None:
                (texts / f"{name}.txt").write_text(text, encoding="utf-8")
    return rows


def totals(rows: list[Scored]) -> dict[str, Any]:
    read_rows = [row for row in rows if row.characters is not None or row.outcome.endswith(tuple(Quality))]
    return {
        "files": len(rows),
        "read": len(read_rows),
        "refused": sum("died" not in row.outcome for row in rows) - len(read_rows),
        "died": sum("died" in row.outcome for row in rows),
        "starts": f"{sum(row.starts is True for row in rows)}/{sum(row.starts is not None for row in rows)}",
        "radicals": sum(row.radicals for row in rows),
        "controls": sum(row.controls for row in rows),
        "pages_recognised": sum(row.recognised for row in rows),
        "slowest_ms": max((row.ms for row in rows), default=0),
        "ocr_s": round(sum(row.ocr_ms for row in rows) / 1000, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="eval pdf", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--only", default="", help="files whose name holds this")
    parser.add_argument("--texts", type=Path, help="also write each canonical text here")
    chosen = parser.parse_args()
    rows = run(chosen.data, ocr=chosen.ocr, texts=chosen.texts, only=chosen.only)
    print(json.dumps(totals(rows), ensure_ascii=False))


if __name__ == "__main__":
    main()
