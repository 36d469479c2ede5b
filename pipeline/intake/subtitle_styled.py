"""ASS and SSA by pysubs2, SCC by pycaption; each behind a guard for what the library does not take."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from importlib.metadata import version

import pysubs2

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason, Removed
from pipeline.intake.subtitle_cues import Said, Track, said, visible

_STANDARD = ("layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text")
_TIME = re.compile(r"-?\d{1,3}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,3})?")
_EVENTS = re.compile(r"^\[Events\][ \t]*$", re.IGNORECASE | re.MULTILINE)
_LINE = re.compile(r"^(Format|Dialogue|Comment):[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(r"^Title:[ \t]*(.+?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_NO_TITLE = re.compile(r"default aegisub file|untitled|<?untitled>?", re.IGNORECASE)
_FLIES = re.compile(r"\{[^{}\n]*\\move\(")
_MANY = 20
_SCC_LINE = re.compile(r"^\d\d:\d\d:\d\d[:;]\d\d\s+\S", re.MULTILINE)


def read_ass(text: str) -> Track:
    """Read Advanced SubStation; comments and drawings are no words.

    The library takes the fields of an event in the standard's order whatever the file's Format line says, and stops
    at one bad style: so it is given the events only, in its order.

    Raises:
        InputRejected: WRONG_KIND, for comments of viewers that were turned into subtitles.
    """
    track = Track(f"pysubs2 {version('pysubs2')}")
    if (title := _TITLE.search(text)) and not _NO_TITLE.fullmatch(title[1]):
        track.title = title[1]
    events = list(_events(text, track))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of numbers that nobody reads here
        subs = pysubs2.SSAFile.from_string("[Script Info]\n\n[V4+ Styles]\n\n[Events]\n" + "\n".join(events), "ass")
    if len(subs.events) >= _MANY and sum(bool(_FLIES.search(e.text)) for e in subs.events) * 2 > len(subs.events):
        raise InputRejected(Reason.WRONG_KIND, kind="danmaku")
    for event in subs.events:
        if event.is_comment:
            if hidden := visible(event.plaintext):
                track.removed.append(Removed("hidden", hidden))
        elif not event.is_drawing:
            track.said.append(said(max(0, event.start), max(0, event.end), event.plaintext, speaker=event.name.strip()))
    return track


def _events(text: str, track: Track) -> Iterator[str]:
    """Return event lines in the standard's order of fields; times that cannot be read cost the time, not the words."""
    section = _EVENTS.search(text)
    order: tuple[str, ...] = _STANDARD
    for line in _LINE.finditer(text, section.end() if section else 0):
        kind, rest = line[1].lower(), line[2]
        if kind == "format":
            named = tuple(field.strip().lower() for field in rest.split(","))
            order = named if named[-1:] == ("text",) and {"start", "end"} <= set(named) else _STANDARD
            continue
        fields = rest.split(",", len(order) - 1)
        if len(fields) < len(order):
            continue
        value = dict(zip(order, fields, strict=True))
        if not all(_TIME.fullmatch(value[key].strip()) for key in ("start", "end")):
            track.said.append(said(None, None, value["text"], when=f"{value['start']} --> {value['end']}"))
            continue
        kept = {"layer": "0", "marginl": "0", "marginr": "0", "marginv": "0", "style": "Default", "effect": ""}
        times = {key: value[key].strip() for key in ("start", "end")}
        kept |= times | {"name": value.get("name", value.get("actor", "")), "text": value["text"]}
        yield f"{line[1].title()}: " + ",".join(kept[key] for key in _STANDARD)


def read_scc(text: str) -> Track:
    """Read Scenarist closed captions: pairs of hexadecimal bytes that are commands and characters.

    Raises:
        InputRejected: BROKEN.
    """
    import pycaption  # takes long to import, and only this format needs it
    from pycaption.exceptions import CaptionReadError, CaptionReadNoCaptions

    try:
        read = pycaption.SCCReader().read(text)
        captions = [c for language in read.get_languages() for c in read.get_captions(language)]
    except CaptionReadNoCaptions:
        captions = []
    except (CaptionReadError, ValueError, IndexError, KeyError, AttributeError) as error:
        raise InputRejected(Reason.BROKEN, f"SCC: {error}") from error
    track = Track(f"pycaption {version('pycaption')}")
    track.said = [_scc(c.start, c.end, c.get_text()) for c in captions]
    track.stray = not captions and bool(_SCC_LINE.search(text))
    return track


def _scc(start_us: float, end_us: float, text: str) -> Said:
    return said(round(start_us / 1_000), round(end_us / 1_000), text)
