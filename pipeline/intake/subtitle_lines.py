"""Subtitles that are lines of text: SubRip, WebVTT, SubViewer (SBV), LRC.

Read here and not by a library: pysubs2 and webvtt-py let a broken time swallow the next cue, take NOTE blocks and
inline times for words, and lose cues without milliseconds (pitfalls S2 to S7). A cue reaches from its time line to
the next one, whatever blank lines are between.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.domain.source import Removed
from pipeline.intake.subtitle_cues import Said, Track, ms, said
from pipeline.intake.subtitle_signs import ARROW, TIME

READER = "subtitle lines 1"

_CLOCK = re.compile(r"(?:(\d{1,4})[:：])?(\d{1,3})[:：](\d{1,2})(?:[.,:，][ ]?(\d{1,9}))?")
_TIME_LINE = re.compile(rf"[ \t]*({TIME}){ARROW}({TIME})(?:[ \t].*)?")
# Meant as a time line, and broken: the arrow with something like a time on at least one side of it.
_BROKEN_LINE = re.compile(
    r"[ \t]*(\d{1,4}:[^\s]{0,30}|[^\s]{0,30}\d:[^\s]{0,30})?[ \t]*-{1,3}>[ \t]*([^\s]{0,40})[^\n]*"
)
_SBV_LINE = re.compile(r"(\d{1,3}:\d\d:\d\d\.\d{1,3}),(\d{1,3}:\d\d:\d\d\.\d{1,3})[ \t]*")
_INDEX = re.compile(r"[ \t]*\d{1,7}[ \t]*")
_VTT_BLOCK = re.compile(r"(NOTE|STYLE|REGION)(?:[ \t]|$)")

_LRC_LINE = re.compile(r"((?:[ \t]*\[\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?\])+)(.*)")
_LRC_STAMP = re.compile(r"\[(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?\]")
_LRC_TAG = re.compile(r"\[([a-zA-Z]{2,10}):[ \t]*([^\]\n]{0,300})\]")


def read_lines(text: str, form: str) -> Track:
    """Read ``srt``, ``vtt`` or ``sbv``; lines of ``text`` end in a line feed and nothing else."""
    lines = text.split("\n")
    track = Track(READER)
    if form == "vtt":
        lines = _without_blocks(lines, track)
    at: list[tuple[int, tuple[int | None, int | None]]] = []
    for number, line in enumerate(lines):
        if (times := _times(line, form)) is not None:
            at.append((number, times))
    track.stray = not at and any(line.strip() for line in lines)
    ends = [number for number, _ in at[1:]] + [len(lines)] * bool(at)
    for (number, times), after in zip(at, ends, strict=True):
        payload = _payload(lines, number + 1, after, form)
        track.said.append(
            said(*times, "\n".join(payload), every_tag=form == "vtt", when=lines[number].strip()),
        )
    return track


def _times(line: str, form: str) -> tuple[int | None, int | None] | None:
    """Return the times of a time line, None for each that cannot be read; None for any other line."""
    if form == "sbv":
        match = _SBV_LINE.fullmatch(line)
        return (_clock(match[1]), _clock(match[2])) if match else None
    if "->" not in line:
        return None
    if match := _TIME_LINE.fullmatch(line):
        return _clock(match[1]), _clock(match[2])
    if (broken := _BROKEN_LINE.fullmatch(line)) and (broken[1] or re.match(r"\d{1,4}:", broken[2])):
        return None, None
    return None


def _clock(text: str) -> int | None:
    match = _CLOCK.fullmatch(text)
    return ms(int(match[1] or 0), int(match[2]), int(match[3]), match[4] or "") if match else None


def _payload(lines: list[str], start: int, after: int, form: str) -> list[str]:
    """The lines of a cue, without the number or name of the next one, which stands right before its time line."""
    payload = lines[start:after]
    if after == len(lines) or not payload or form == "sbv":
        return payload
    last = payload[-1]
    name_in_vtt = (
        form == "vtt" and len(payload) > 1 and not payload[-2].strip() and any(p.strip() for p in payload[:-1])
    )
    if _INDEX.fullmatch(last) or (last.strip() and name_in_vtt):
        return payload[:-1]
    return payload


def _without_blocks(lines: list[str], track: Track) -> list[str]:
    """WebVTT without its header, comments, styles and regions; comments go to the ledger (rule SRC-8)."""
    kept: list[str] = []
    block = "HEADER"
    comment: list[str] = []
    for line in lines:
        if block and (not line.strip() or (block == "HEADER" and _TIME_LINE.fullmatch(line))):
            if block == "NOTE" and (text := "\n".join(comment).removeprefix("NOTE").strip()):
                track.removed.append(Removed("hidden", text))
            block, comment = "", []
        elif not block and (found := _VTT_BLOCK.match(line)) and (not kept or not kept[-1].strip()):
            block = found[1]
        if block:
            comment.append(line)
        else:
            kept.append(line)
    return kept


def read_lrc(text: str) -> Track:
    """Read lyrics: a line lasts until the next one; of a line with several times each is a cue."""
    track = Track(READER)
    shift_ms = 0
    for line in text.split("\n"):
        if match := _LRC_LINE.fullmatch(line):
            for stamp in _LRC_STAMP.finditer(match[1]):
                track.said.append(said(ms(0, int(stamp[1]), int(stamp[2]), stamp[3] or ""), None, match[2]))
        elif tag := _LRC_TAG.match(line.strip()):
            if tag[1].lower() == "ti":
                track.title = tag[2].strip()
            elif tag[1].lower() == "offset" and re.fullmatch(r"[+-]?\d{1,7}", tag[2].strip()):
                shift_ms = int(tag[2])
    ordered = sorted((max(0, (s.start_ms or 0) - shift_ms), at, s) for at, s in enumerate(track.said))
    ends = [*(start for start, _, _ in ordered[1:]), ordered[-1][0] if ordered else 0]
    # A line without words only ends the one before it.
    track.said = [_timed(s, start, end) for (start, _, s), end in zip(ordered, ends, strict=True) if s.lines]
    return track


def _timed(cue: Said, start_ms: int, end_ms: int) -> Said:
    return replace(cue, start_ms=start_ms, end_ms=end_ms)
