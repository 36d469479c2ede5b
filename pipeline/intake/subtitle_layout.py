"""From cues to a text that can be read: sentences that run over cues are whole, and each cue knows its place.

A file with punctuation is joined into paragraphs that end with sentences. One without has none to find: there a
pause, or enough words, ends a paragraph, and so what may be quoted. Two languages stay line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.domain.sentences import width
from pipeline.intake.subtitle_cues import Said

_HAN = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u3003\u3008-\u301f]")
_WORDS = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W\\d_]+")
_STOP = re.compile("[。！？!?…][”’\"'」』）)】]*$|[.][”’\"'）)]*$")
_ANY_STOP = re.compile("[。！？!?]+|[^\\W\\d][.]+(?=[\\s”’\"'）)]|$)")
_MARK = re.compile("[。！？!?…，,、；;：:.—-][”’\"'」』）)】]*$")
_TURN = re.compile("[-–—－]\\s*\\S")

_SENTENCE = 160  # columns from one end of a sentence to the next on the average, up to which a file has punctuation
_MARKS_FROM = 0.5  # share of cues that end in any mark, from which Han lines without one run on
_TWO_LANGUAGES_FROM = 0.6
_LONG_PAUSE_MS = 3_000
_PAUSE_MS = 800  # in a file without punctuation
_SHORT = 40  # columns; such a paragraph is not ended by a short pause
_FULL = 160  # columns of a paragraph without punctuation
_ROOMY = 320  # columns of a paragraph with punctuation, after which the next sentence begins another
_MOST = 1_200


@dataclass
class Layout:
    """``raw`` with the spans of its cues (index of the cue, start, end) and of its paragraphs, in ``raw``."""

    raw: str = ""
    cues: list[tuple[int, int, int]] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    two_languages: bool = False


def lay_out(said: Sequence[Said]) -> Layout:
    """Return the text of cues that are in order; cues without words have no place in it."""
    spoken = [(at, cue) for at, cue in enumerate(said) if cue.lines]
    if _two_languages([cue for _, cue in spoken]):
        return _line_by_line(spoken)
    stops = _has_sentences([cue for _, cue in spoken])
    marks = sum(bool(_MARK.search(cue.lines[-1])) for _, cue in spoken) >= _MARKS_FROM * len(spoken)
    layout = Layout()
    parts: list[str] = []
    length = opened = columns = 0
    before: Said | None = None
    for at, cue in spoken:
        text = _one(cue.lines, run_on=marks)
        if before is None or _ends_paragraph(before, cue, columns, width(text), stops=stops):
            if before is not None:
                layout.blocks.append((opened, length))
            glue = "\n\n" if before is not None else ""
            opened, columns = length + len(glue), 0
        else:
            glue = "\n" if _TURN.match(text) else _glue(before.lines[-1], text, run_on=marks)
        parts += (glue, text)
        layout.cues.append((at, length + len(glue), length + len(glue) + len(text)))
        length += len(glue) + len(text)
        columns += width(text) + len(glue)
        before = cue
    if before is not None:
        layout.blocks.append((opened, length))
    layout.raw = "".join(parts)
    return layout


def _has_sentences(said: Sequence[Said]) -> bool:
    text = "\n".join(line for cue in said for line in cue.lines)
    return width(text) <= _SENTENCE * len(_ANY_STOP.findall(text))


def _ends_paragraph(before: Said, cue: Said, columns: int, more: int, *, stops: bool) -> bool:
    pause_ms = (cue.start_ms or 0) - (before.end_ms or 0) if cue.start_ms is not None else 0
    if cue.speaker != before.speaker or pause_ms >= _LONG_PAUSE_MS:
        return True
    if stops:
        return columns + more > _MOST or (columns >= _ROOMY and bool(_STOP.search(before.lines[-1])))
    return columns + more > _FULL or (pause_ms >= _PAUSE_MS and columns >= _SHORT)


def _one(lines: Sequence[str], *, run_on: bool) -> str:
    text = lines[0]
    for line in lines[1:]:
        text += ("\n" if _TURN.match(line) else _glue(text, line, run_on=run_on)) + line
    return text


def _glue(before: str, after: str, *, run_on: bool) -> str:
    """Between Han a space would be a pause: none where punctuation makes the pauses. Elsewhere words need it."""
    return "" if run_on and _HAN.match(before[-1]) and _HAN.match(after[0]) else " "


def _is_han(text: str) -> bool | None:
    """Whether most of a line is Han or kana; None for a line without letters."""
    words = _WORDS.findall(text)
    han = sum(bool(_HAN.match(w)) for w in words)
    return None if not words else han * 2 > len(words)


def _two_languages(said: Sequence[Said]) -> bool:
    """Whether most cues say the same in two scripts: in their two lines, or in two cues of one time."""
    twofold = 0
    for at, cue in enumerate(said):
        neighbours = [said[n] for n in (at - 1, at + 1) if 0 <= n < len(said)]
        beside = [n.lines[0] for n in neighbours if (n.start_ms, n.end_ms) == (cue.start_ms, cue.end_ms)]
        scripts = {_is_han(line) for line in (*cue.lines, *beside)} - {None}
        twofold += len(scripts) == 2
    return len(said) > 1 and twofold >= _TWO_LANGUAGES_FROM * len(said)


def _line_by_line(spoken: Sequence[tuple[int, Said]]) -> Layout:
    layout = Layout(two_languages=True)
    parts: list[str] = []
    length = 0
    for at, cue in spoken:
        start = length
        for line in cue.lines:
            parts.append(line)
            layout.blocks.append((length, length + len(line)))
            length += len(line) + 2
        layout.cues.append((at, start, length - 2))
    layout.raw = "\n\n".join(parts)
    return layout
