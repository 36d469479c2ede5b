"""What every subtitle format comes down to before it is laid out as text, and what is visible of a line of one."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from pipeline.domain.source import Removed

_TAG = re.compile(r"<[^<>\n]{0,1000}>")
# In formats whose text is plain, only what is surely markup leaves: a talk on types may say "a list of <String>".
_KNOWN_TAG = re.compile(
    r"</?(?:i|b|u|s|c|v|em|strong|font|span|p|br|ruby|rt|rp|lang|small|big|strike|sub|sup)(?:[\s.=/][^<>\n]{0,1000})?/?>",
    re.IGNORECASE,
)
_INLINE_TIME = re.compile(r"<\d{1,4}(?::\d{1,2}){1,2}(?:[.,]\d{1,9})?>")
_OVERRIDE = re.compile(r"\{\\[^{}\n]{0,1000}\}|\{[yYcCfFsSpP]:[^{}\n]{0,200}\}")
_VOICE = re.compile(r"<v(?:\.[\w.-]{0,100})?[ \t]+([^<>\n]{1,200})>")
_ENTITY = re.compile(r"&(?:[a-zA-Z][a-zA-Z0-9]{1,10}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")


@dataclass(frozen=True)
class Said:
    """One cue as its file has it. ``lines`` are visible text without empty ones.

    ``start_ms`` is None where the file's time cannot be read: the words are kept, no time is made up. ``end_ms`` is
    None where none is given. ``fresh`` says for each line whether it carries times of its own, which in rolling
    captions marks the words that are new.
    """

    start_ms: int | None
    end_ms: int | None
    lines: tuple[str, ...]
    speaker: str = ""
    fresh: tuple[bool, ...] = ()
    when: str = ""  # the time line as it stands, for the ledger


@dataclass
class Track:
    """What a reader of one format found."""

    reader: str  # library and version, or our own reader's name
    said: list[Said] = field(default_factory=list)
    title: str = ""
    removed: list[Removed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stray: bool = False  # there is text, and none of it belongs to a cue


def said(
    start_ms: int | None, end_ms: int | None, text: str, *, speaker: str = "", every_tag: bool = False, when: str = ""
) -> Said:
    """Return the cue of a payload with markup: tags, override codes, inline times and entities leave.

    Args:
        every_tag: whatever stands between angle brackets is markup in this format.
    """
    if voice := _VOICE.search(text):
        speaker = speaker or html.unescape(voice[1]).strip()
    lines, fresh = [], []
    for line in re.split(r"\n|<br\s*/?>|\\[Nn]", text):
        if shown := visible(line, every_tag=every_tag):
            lines.append(shown)
            fresh.append(bool(_INLINE_TIME.search(line)))
    return Said(start_ms, end_ms, tuple(lines), speaker, tuple(fresh), when)


def visible(line: str, *, every_tag: bool = False) -> str:
    """Return what is seen of one line, with single spaces.

    Entities are decoded until none is left, since files are escaped twice as often as not; tags that only then appear
    leave if they are known ones.
    """
    line = _INLINE_TIME.sub("", _OVERRIDE.sub("", line))
    line = (_TAG if every_tag else _KNOWN_TAG).sub("", line)
    for _ in range(3):
        if not _ENTITY.search(line):
            break
        line = _KNOWN_TAG.sub("", _INLINE_TIME.sub("", html.unescape(line)))
    return " ".join(line.replace("\\h", " ").split())


def ms(hours: int, minutes: int, seconds: int, fraction: str) -> int:
    """Return milliseconds; ``fraction`` is decimal digits after the point, any number of them."""
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + int((fraction + "000")[:3])
