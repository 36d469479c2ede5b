"""Subtitle files for tests: read as the product reads them, written as people and machines write them."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.source import Extraction, InputType, ReadHints, SourceLimits
from pipeline.intake.subtitles import extract_subtitles

LIMITS = SourceLimits()


def read(text: str | bytes, name: str = "talk.srt", **hints: str) -> Extraction:
    data = text if isinstance(text, bytes) else text.encode()
    return extract_subtitles(data, name=name, kind=InputType.SUBTITLE, limits=LIMITS, hints=ReadHints(**hints))


def cues(found: Extraction) -> list[tuple[int, int, str]]:
    """Start and end in milliseconds, and the words at the span: what a cue claims."""
    return [(c.start_ms, c.end_ms, found.text[c.start : c.end]) for c in found.cues]


def clock(ms: int) -> str:
    """``HH:MM:SS.mmm``."""
    return f"{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1_000 % 60:02}.{ms % 1_000:03}"


def spoken(lines: Sequence[str], *, gaps: dict[int, int] | None = None, seconds: int = 2) -> str:
    """A SubRip file that shows each line for ``seconds``; ``gaps`` are pauses before a line, in milliseconds."""
    out, at = [], 0
    for n, line in enumerate(lines):
        at += (gaps or {}).get(n, 0)
        out.append(f"{n + 1}\n{clock(at)} --> {clock(at + seconds * 1_000)}\n{line}\n")
        at += seconds * 1_000
    return "\n".join(out)
