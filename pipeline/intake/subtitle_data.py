"""Subtitles that are data: JSON of bilibili, YouTube, podcasts and Whisper; XML of YouTube; TTML.

TTML is read here and not by pysubs2 or pycaption: neither counts ticks, and the first adds the times of Apple's
lyrics, which are absolute against the standard, to those of the section around them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason
from pipeline.intake.subtitle_cues import Said, Track, ms, said

READER = "subtitle data 1"
_LXML = f"lxml {'.'.join(map(str, etree.LXML_VERSION[:3]))}"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_DECLARATION = re.compile(r"\s*<\?xml[^<>]*\?>")
_CLOCK = re.compile(
    r"(\d{1,4}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9})|:(\d{1,4})(?:\.\d{1,4})?)?|(\d{1,4}):(\d{1,2})(?:\.(\d{1,9}))?"
)
_OFFSET = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(h|ms|m|s|f|t)?")
_UNIT_MS = {"h": 3_600_000.0, "m": 60_000.0, "s": 1_000.0, "ms": 1.0}


def read_json(text: str, form: str) -> Track:
    """Read ``bilibili``, ``podcast``, ``json3``, ``whisper`` or ``list``.

    Raises:
        InputRejected: BROKEN, when it is no JSON, or not of this form.
    """
    try:
        found = json.loads(text)
        entries = found if form == "list" else found[_LISTS[form]]
        track = Track(READER)
        track.said = [cue for entry in entries if isinstance(entry, dict) for cue in _entry(entry, form)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise InputRejected(Reason.BROKEN, f"{form} subtitles: {error}") from error
    if form == "bilibili" and "ai" in str(found.get("type", "")).lower():
        track.notes.append("subtitles_by_machine")
    return track


_LISTS = {"bilibili": "body", "podcast": "segments", "json3": "events", "whisper": "segments"}
_FIELDS = {  # start, end, words; in seconds
    "bilibili": ("from", "to", "content"),
    "podcast": ("startTime", "endTime", "body"),
    "whisper": ("start", "end", "text"),
}


def _entry(entry: dict[str, Any], form: str) -> Iterator[Said]:
    if form == "json3":
        words = "".join(str(s.get("utf8", "")) for s in entry.get("segs", ()))
        start = _number(entry.get("tStartMs"))
        if words.strip() and start is not None:  # windows and line feeds of rolling captions say nothing
            yield said(round(start), _after(start, _number(entry.get("dDurationMs")), 1.0), words)
    elif form == "list":
        start, length = _number(entry.get("start")), _number(entry.get("duration", entry.get("dur")))
        yield said(_ms(start), _after(start, length, 1_000.0), str(entry.get("text", "")))
    else:
        begins, ends, words = _FIELDS[form]
        speaker = str(entry.get("speaker") or "").strip()
        start, end = _ms(_number(entry.get(begins))), _ms(_number(entry.get(ends)))
        yield said(start, end, str(entry.get(words) or ""), speaker=speaker)


def _number(value: object) -> float | None:
    """Return a time as it may stand in JSON or XML: a number, or text that is one; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < 1e10 else None  # NaN is not


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1_000)


def _after(start: float | None, length: float | None, unit_ms: float) -> int | None:
    return None if start is None or length is None else round((start + length) * unit_ms)


def read_xml(text: str, form: str) -> Track:
    """Read ``timedtext`` (YouTube's two kinds) or ``ttml``; raw ``&`` and other slips are forgiven (pitfall S12).

    Raises:
        InputRejected: BROKEN, when there is no element in it.
    """
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    clean = _DECLARATION.sub("", _CONTROL.sub("", text), count=1)
    try:
        root = etree.fromstring(clean.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputRejected(Reason.BROKEN, f"{form} subtitles: {error}") from error
    if root is None:
        raise InputRejected(Reason.BROKEN, f"{form} subtitles: no element")
    track = Track(_LXML)
    if form == "ttml":
        track.said = list(_ttml(root))
        track.title = " ".join(_words(next((e for e in root.iter("{*}title")), None)).split())
    else:
        track.said = list(_timed_text(root))
    return track


def _timed_text(root: Any) -> Iterator[Said]:
    """``<text start dur>`` in seconds, or ``<p t d>`` in milliseconds."""
    for element in root.iter("{*}text", "{*}p"):
        in_seconds = etree.QName(element).localname == "text"
        start = _number(element.get("start" if in_seconds else "t"))
        length = _number(element.get("dur" if in_seconds else "d"))
        unit_ms = 1_000.0 if in_seconds else 1.0
        words = _words(element)
        if words.strip() or in_seconds:
            yield said(None if start is None else round(start * unit_ms), _after(start, length, unit_ms), words)


def _words(element: Any) -> str:
    return "" if element is None else "".join(element.itertext())


class _TtmlClock:
    """Time expressions of one TTML document, in milliseconds."""

    def __init__(self, root: Any) -> None:
        values = {etree.QName(k).localname: v for k, v in root.attrib.items()}
        times = re.fullmatch(r"\s*(\d{1,6})\s+(\d{1,6})\s*", values.get("frameRateMultiplier", "1 1"))
        factor = int(times[1]) / int(times[2]) if times and int(times[2]) else 1.0
        rate = _number(values.get("frameRate")) or 30.0
        self._frame_ms = 1_000.0 / (rate * factor)
        self._tick_ms = 1_000.0 / (_number(values.get("tickRate")) or (rate if "frameRate" in values else 1.0))

    def read(self, text: str | None) -> int | None:
        """Return the milliseconds of ``text``, None when it is none."""
        text = (text or "").strip()
        if clock := _CLOCK.fullmatch(text):
            if clock[6]:
                return ms(0, int(clock[6]), int(clock[7]), clock[8] or "")
            frames = round(int(clock[5] or 0) * self._frame_ms)
            return ms(int(clock[1]), int(clock[2]), int(clock[3]), clock[4] or "") + frames
        if offset := _OFFSET.fullmatch(text):
            unit = {**_UNIT_MS, "f": self._frame_ms, "t": self._tick_ms}[offset[2] or "s"]
            return round(float(offset[1]) * unit)
        return None


def _ttml(root: Any) -> Iterator[Said]:
    clock = _TtmlClock(root)
    spans = [(p, *_begin_end(p, clock)) for p in root.iter("{*}p")]
    absolute = _is_absolute(spans, clock)
    for element, start, end in spans:
        base = 0 if absolute else sum(clock.read(a.get("begin")) or 0 for a in element.iterancestors())
        text = _ttml_words(element)
        yield said(None if start is None else start + base, None if end is None else end + base, text)


def _begin_end(element: Any, clock: _TtmlClock) -> tuple[int | None, int | None]:
    """Of a paragraph, or of its spans where only they have times."""
    start, end = clock.read(element.get("begin")), clock.read(element.get("end"))
    if start is None:
        inner = [t for s in element.iter("{*}span") for t in [clock.read(s.get("begin"))] if t is not None]
        outer = [t for s in element.iter("{*}span") for t in [clock.read(s.get("end"))] if t is not None]
        start, end = min(inner, default=None), max(outer, default=end)
    length = clock.read(element.get("dur"))
    if end is None and start is not None and length is not None:
        end = start + length
    return start, end


def _is_absolute(spans: list[tuple[Any, int | None, int | None]], clock: _TtmlClock) -> bool:
    """Whether the times of paragraphs count from the start of everything although a section around them begins later.

    By the standard they count from their section. Where that would have one end after its section does, while as it
    stands it lies inside, the file was not written by the standard (Apple's lyrics are not).
    """
    for element, start, end in spans:
        section = element.getparent()
        while section is not None and clock.read(section.get("begin")) is None:
            section = section.getparent()
        if section is None or start is None or end is None:
            continue
        begin, last = clock.read(section.get("begin")) or 0, clock.read(section.get("end"))
        if begin and last is not None and begin <= start and end <= last < end + begin:
            return True
    return False


def _ttml_words(element: Any) -> str:
    """Text of a paragraph: white space of the markup is one space, ``<br/>`` is a line."""
    parts = [element.text or ""]
    for child in element:
        is_break = isinstance(child.tag, str) and etree.QName(child).localname == "br"
        parts.append(
            "\n" if is_break else re.sub(r"\s+", " ", _ttml_words(child)) if isinstance(child.tag, str) else ""
        )
        parts.append(child.tail or "")
    return "".join(p if p == "\n" else re.sub(r"\s+", " ", p) for p in parts)
