"""Subtitles → one canonical text, and a cue for everything that is said in it: where it stands and when it is heard.

Any of the formats of subtitle_signs.py, found by its content, whatever the name says. Comments of viewers (danmaku)
and the data of a player are refused by name: they are no transcript.
"""

from __future__ import annotations

import re

from pipeline.domain.errors import InputRejected
from pipeline.domain.sentences import trimmed
from pipeline.domain.source import (
    Block,
    BlockKind,
    Cue,
    Extraction,
    InputType,
    Quality,
    ReadHints,
    Reason,
    SourceLimits,
)
from pipeline.domain.text import canonicalise, new_span
from pipeline.intake.decode import decode
from pipeline.intake.subtitle_cues import Track
from pipeline.intake.subtitle_layout import lay_out
from pipeline.intake.subtitle_lines import read_lines, read_lrc
from pipeline.intake.subtitle_rolling import settle
from pipeline.intake.subtitle_signs import subtitle_format

_NOT_SAID = {"danmaku": "danmaku", "player": "player data"}
_BY_SUFFIX = {"ssa": "ass", "dfxp": "ttml"}
_LINE_END = re.compile("\r\n|[\r\u0085\u2028\u2029]")


def extract_subtitles(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a subtitle file.

    Raises:
        InputRejected: EMPTY_FILE (nothing is said), BROKEN (no time in it, or not of its format), UNDECODABLE,
            WRONG_KIND (``danmaku`` or ``player data``).
    """
    decoded, codec = decode(data, declared=hints.charset, markup=True)
    text = _LINE_END.sub("\n", decoded.lstrip("\ufeff"))
    stem, _, suffix = name.rpartition(".")
    track = _read(text, subtitle_format(text) or _BY_SUFFIX.get(suffix.lower(), suffix.lower()))
    if not track.said and track.stray:
        raise InputRejected(Reason.BROKEN, "no subtitle in it")
    settle(track)
    layout = lay_out(track.said)
    if not layout.raw:
        raise InputRejected(Reason.EMPTY_FILE)
    canonical, offsets = canonicalise(layout.raw)
    blocks = [trimmed(canonical, *new_span(offsets, *span)) for span in layout.blocks]
    cues = []
    for at, start, end in layout.cues:
        cue = track.said[at]
        low, high = trimmed(canonical, *new_span(offsets, start, end))
        if cue.start_ms is not None and cue.end_ms is not None and low < high:
            cues.append(Cue(low, high, cue.start_ms, cue.end_ms, cue.speaker))
    notes = [*track.notes, *(["bilingual"] if layout.two_languages else [])]
    return Extraction(
        title=track.title or stem or name,
        text=canonical,
        raw=layout.raw,
        offsets=offsets,
        blocks=tuple(Block(BlockKind.PARAGRAPH, start, end) for start, end in blocks if start < end),
        quality=Quality.FULL,
        extractor=track.reader,
        codec=codec,
        cues=tuple(cues),
        removed=tuple(track.removed),
        notes=tuple(notes),
    )


def _read(text: str, form: str) -> Track:
    if form in _NOT_SAID:
        raise InputRejected(Reason.WRONG_KIND, kind=_NOT_SAID[form])
    if form in ("srt", "vtt", "sbv"):
        return read_lines(text, form)
    if form == "lrc":
        return read_lrc(text)
    # The libraries behind these take long to import; a child pays only for the one it uses.
    if form in ("ass", "scc"):
        from pipeline.intake.subtitle_styled import read_ass, read_scc

        return read_ass(text) if form == "ass" else read_scc(text)
    if form in ("ttml", "timedtext", "bilibili", "podcast", "json3", "whisper", "list"):
        from pipeline.intake.subtitle_data import read_json, read_xml

        return read_xml(text, form) if form in ("ttml", "timedtext") else read_json(text, form)
    raise InputRejected(Reason.BROKEN, "no subtitle format is known by this")
