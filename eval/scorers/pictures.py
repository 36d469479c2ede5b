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
from itertools import accumulate
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
    joined: int  # paragraphs whose end was not seen
    broken: int  # ends that are none
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


def _ends(paragraphs: Iterable[str]) -> list[int]:
    """Where paragraphs end, in characters without white space."""
    return list(accumulate(len(folded(paragraph)) for paragraph in paragraphs))


def _near(end: int, others: Iterable[int]) -> bool:
    """Whether one of ``others`` is the same end, two characters wrong before it allowed."""
    return any(abs(end - other) <= 2 for other in others)


def score(picture: Picture, found: Extraction | None, ms: int) -> Scored:
    """Compare one reading with the wording; None: it was refused as having no text."""
    text = found.text if found else ""
    wanted = _ends(picture.text.split("\n"))
    blocks = _ends([text[b.start : b.end] for b in found.blocks]) if found else []
    notes = dict(note.split(":") for note in found.notes) if found else {}
    return Scored(
        kind=picture.kind,
        name=picture.name,
        characters=len(folded(picture.text)),
        edits=distance(folded(picture.text), folded(text)),
        paragraphs=len(wanted),
        joined=sum(not _near(end, blocks) for end in wanted),
        broken=sum(not _near(end, wanted) for end in blocks),
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
                "paragraphs": sum(r.paragraphs for r in its),
                "joined": sum(r.joined for r in its),
                "broken": sum(r.broken for r in its),
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
