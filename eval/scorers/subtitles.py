"""A subtitle file's reading against what the file is known to hold: cues, times, leaks, repeats.

It looks at the finished reading only, with patterns of its own: what counts as a leak is not what the reader strips.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction

LEAKS = {
    "tag": re.compile(r"</?(?:i|b|u|s|c|v|font|span|br|p|ruby|rt|lang)\b[^<>]*>", re.IGNORECASE),
    "time": re.compile(r"<\d+:\d\d|\d\d:\d\d[.,]\d{2,3}|-->"),
    "entity": re.compile(r"&(?:[a-z]{2,6}|#\d{2,5}|#x[0-9a-f]{2,5});", re.IGNORECASE),
    "override": re.compile(r"\{\\|\\[Nnh](?![a-z])"),
    "keyword": re.compile(r"^(?:WEBVTT|NOTE|STYLE|REGION|Dialogue:|Kind:|Scenarist_SCC)", re.MULTILINE),
    "hex": re.compile(r"\b[0-9a-f]{4}(?: [0-9a-f]{4}){3}", re.IGNORECASE),
    "mojibake": re.compile("\ufffd"),
}
_REFUSALS = {"danmaku": "danmaku", "niconico_chats": "danmaku"}


@dataclass(frozen=True)
class SubtitleScore:
    """One file. ``problems`` is empty when everything that is known of it holds."""

    name: str
    outcome: str  # quality, or "refused: reason kind"
    cues: int = 0
    merged: int = 0  # repeated cues that were left out, by the reading's own account
    expected_cues: int | None = None
    leaks: Mapping[str, int] = field(default_factory=dict)
    repeats: int = 0
    chars: int = 0
    seconds: float = 0.0
    codec: str = ""
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def expected_outcome(known: Mapping[str, Any]) -> str:
    """Return ``cues`` or the refusal that a manifest's row asks for."""
    for key, kind in _REFUSALS.items():
        if key in known:
            return f"refused: wrong_kind {kind}"
    if "parse_error" in known:
        return "refused: empty_file"
    if "responseContext" in known.get("keys", ()):
        return "refused: wrong_kind player data"
    return "cues"


def score(name: str, found: Extraction | InputRejected, known: Mapping[str, Any], *, seconds: float) -> SubtitleScore:
    """Hold one reading against what the manifest knows of its file."""
    wanted = expected_outcome(known)
    if isinstance(found, InputRejected):
        outcome = f"refused: {found.reason} {found.values.get('kind', '')}".rstrip()
        other = () if outcome == wanted else (f"{outcome}, not {wanted}",)
        return SubtitleScore(name, outcome, seconds=seconds, problems=other)
    leaks = {kind: n for kind, pattern in LEAKS.items() if (n := len(pattern.findall(found.text)))}
    merged = sum(int(note.partition(":")[2]) for note in found.notes if note.startswith("cues_rolled:"))
    expected = known.get("cues", known.get("items"))
    repeats = _repeats(found)
    problems = [f"read, not {wanted}"] if wanted != "cues" else []
    if expected is not None and len(found.cues) + merged != expected:
        problems.append(f"{len(found.cues)} cues and {merged} merged, not {expected}")
    problems += [f"{n} {kind} leaks" for kind, n in leaks.items()]
    if merged and repeats:
        problems.append(f"{repeats} rolling repeats")
    problems += _times(found, known)
    return SubtitleScore(
        name,
        str(found.quality),
        len(found.cues),
        merged,
        expected,
        leaks,
        repeats,
        len(found.text),
        seconds,
        found.codec or "",
        found.notes,
        tuple(problems),
    )


def _times(found: Extraction, known: Mapping[str, Any]) -> list[str]:
    """First start and last end, to the millisecond, where they are known."""
    if not found.cues:
        return ["no cue"]
    last = round(known["last_to"] * 1_000) if "last_to" in known else known.get("last_end_ms")
    seen = {"first_ms": found.cues[0].start_ms, "last_end_ms": max(cue.end_ms for cue in found.cues)}
    wanted = {"first_ms": known.get("first_ms"), "last_end_ms": last}
    return [f"{key} {seen[key]}, not {wanted[key]}" for key in seen if wanted[key] not in (None, seen[key])]


def _repeats(found: Extraction) -> int:
    """Cues that begin with the words of the one right before them, without a pause: what rolling captions would do."""
    repeats = 0
    for before, cue in zip(found.cues, found.cues[1:], strict=False):
        words = found.text[before.start : before.end]
        if cue.start_ms - before.end_ms <= 60 and found.text[cue.start : cue.end].startswith(words):
            repeats += 1
    return repeats
