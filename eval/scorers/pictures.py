"""``python -m eval pictures``: what OCR and reading order make of pictures whose wording is known.

Each picture goes the whole way: the recogniser's child, then the reader. CER counts edits against the wording, white
space apart and full and half width alike; an edit is a character put in, left out or changed. Order counts: a line
read in the wrong place is wrong twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from eval.cases.pictures import PER_KIND, Picture, pictures
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, InputType, OcrPage, ReadHints, SourceLimits
from pipeline.domain.text import fold
from pipeline.intake.extract import extract
from pipeline.providers.ocr_rapid import RapidRecogniser


@dataclass(frozen=True)
class Scored:
    kind: str
    name: str
    characters: int
    edits: int
    paragraphs: int  # as drawn
    found_paragraphs: int  # blocks that equal one, white space apart
    uncertain: int
    quality: str
    ms: int


def folded(text: str) -> str:
    return "".join(fold(text)[0].split())


def distance(one: str, two: str) -> int:
    """Edit distance of two strings, by Myers' bit vectors: one pass over ``two``, one big integer per character."""
    if not one:
        return len(two)
    masks: dict[str, int] = {}
    for index, character in enumerate(one):
        masks[character] = masks.get(character, 0) | 1 << index
    full = (1 << len(one)) - 1
    last = 1 << (len(one) - 1)
    more, less, score = full, 0, len(one)
    for character in two:
        match = masks.get(character, 0)
        across = (((match & more) + more) ^ more) | match
        grow, shrink = less | ~(across | more) & full, more & across
        if grow & last:
            score += 1
        elif shrink & last:
            score -= 1
        grow, shrink = (grow << 1 | 1) & full, shrink << 1 & full
        vertical = match | less
        more, less = shrink | ~(vertical | grow) & full, grow & vertical
    return score


def score(picture: Picture, found: Extraction | None, ms: int) -> Scored:
    """Compare one reading with the wording; None: it was refused as having no text."""
    text = found.text if found else ""
    wanted = {folded(line) for line in picture.text.split("\n")}
    blocks = {folded(text[b.start : b.end]) for b in found.blocks} if found else set()
    notes = dict(note.split(":") for note in found.notes) if found else {}
    return Scored(
        kind=picture.kind,
        name=picture.name,
        characters=len(folded(picture.text)),
        edits=distance(folded(picture.text), folded(text)),
        paragraphs=len(wanted),
        found_paragraphs=len(wanted & blocks),
        uncertain=int(notes.get("ocr_uncertain", 0)),
        quality=str(found.quality) if found else "NO_TEXT",
        ms=ms,
    )


async def read(picture: Picture, recogniser: RapidRecogniser) -> Scored:
    """One picture through the child and the reader."""
    started = time.perf_counter()
    seen: list[OcrPage] = [page async for page in recogniser.recognise(picture.data, kind=InputType.IMAGE, pages=(1,))]
    hints = ReadHints(recognised=tuple(seen))
    try:
        found = extract(picture.data, name=picture.name, kind=InputType.IMAGE, hints=hints)
    except InputRejected:
        found = None
    return score(picture, found, round((time.perf_counter() - started) * 1000))


def table(rows: Iterable[Scored]) -> list[dict[str, Any]]:
    """One line per kind, and one for all."""
    rows = list(rows)
    lines = []
    for kind in [*dict.fromkeys(row.kind for row in rows), "all"]:
        its = [row for row in rows if kind in (row.kind, "all")]
        characters, edits = sum(r.characters for r in its), sum(r.edits for r in its)
        lines.append(
            {
                "kind": kind,
                "pictures": len(its),
                "characters": characters,
                "cer": round(edits / characters, 4) if characters else 0.0,
                "paragraphs": f"{sum(r.found_paragraphs for r in its)}/{sum(r.paragraphs for r in its)}",
                "s": round(sum(r.ms for r in its) / 1000, 1),
            }
        )
    return lines


async def run(kinds: set[str], per_kind: int, *, each: bool) -> list[Scored]:
    recogniser = RapidRecogniser(SourceLimits())
    rows = []
    for picture in pictures(per_kind=per_kind):
        if kinds and picture.kind not in kinds:
            continue
        row = await read(picture, recogniser)
        rows.append(row)
        if each:
            print(json.dumps(asdict(row), ensure_ascii=False), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="eval pictures", description=__doc__)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--per-kind", type=int, default=PER_KIND)
    parser.add_argument("--each", action="store_true", help="also print every picture")
    chosen = parser.parse_args()
    rows = asyncio.run(run(set(chosen.kind), chosen.per_kind, each=chosen.each))
    for line in table(rows):
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
