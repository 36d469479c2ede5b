"""What OCR saw on a page → its text in reading order, with the place of every line (rule SRC-5)."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from pipeline.domain.source import OcrLine, OcrPage
from pipeline.intake.order import reading_order
from pipeline.intake.paged import LineBox, PageText
from pipeline.intake.rows import Piece

UNCERTAIN = 0.8  # score of the engine under which a line is said to be uncertain
_HOPELESS = 0.6  # mean score, by length, under which a page is noise
_SPECK = 0.35  # of the usual height: smaller boxes are marks, not text


@dataclass(frozen=True)
class Seen:
    """``uncertain``: lines that may be wrong; ``noise``: hardly any line is likely to be right."""

    page: PageText
    lines: int
    uncertain: int
    noise: bool


def seen(found: OcrPage) -> Seen:
    """Put the lines of a recognised page in order."""
    lines = _readable(found)
    pieces = [_piece(line, at) for at, line in enumerate(lines)]
    parts: list[str] = []
    goes_on: set[int] = set()
    boxes: list[LineBox] = []
    length = 0
    for row in reading_order(pieces, exact=False):
        if row.goes_on:
            goes_on.add(length)
        for number, piece in enumerate(row.pieces):
            parts.append(" " if number else "")
            length += 1 if number else 0
            boxes.append((length, length + len(piece.text), *_shares(lines[piece.at], found)))
            parts.append(piece.text)
            length += len(piece.text)
        parts.append("\n")
        length += 1
    page = PageText("".join(parts), goes_on=frozenset(goes_on), boxes=tuple(boxes), ocr=True)
    letters = sum(len(line.text) for line in lines)
    mean = sum(line.score * len(line.text) for line in lines) / letters if letters else 0.0
    uncertain = sum(line.score < UNCERTAIN for line in lines)
    return Seen(page, len(lines), uncertain, bool(lines) and mean < _HOPELESS)


def _piece(line: OcrLine, at: int) -> Piece:
    x0, y0, x1, y1 = line.box
    return Piece(float(x0), float(y0), float(x1), float(y1), line.text, at)


def _readable(found: OcrPage) -> list[OcrLine]:
    """Lines with words and a box; specks and line breaks inside a line are dropped."""
    lines = [
        OcrLine(" ".join(line.text.split()), line.box, line.score)
        for line in found.lines
        if line.text.strip() and line.box[2] > line.box[0] and line.box[3] > line.box[1]
    ]
    usual = median(line.box[3] - line.box[1] for line in lines) if lines else 0
    return [line for line in lines if len(line.text) > 1 or line.box[3] - line.box[1] >= _SPECK * usual]


def _shares(line: OcrLine, found: OcrPage) -> tuple[float, float, float, float]:
    width, height = max(found.width, 1), max(found.height, 1)
    x0, y0, x1, y1 = line.box
    return (
        round(min(1.0, x0 / width), 4),
        round(min(1.0, y0 / height), 4),
        round(min(1.0, x1 / width), 4),
        round(min(1.0, y1 / height), 4),
    )
