"""Plain and pasted text → canonical text and blocks."""

from __future__ import annotations

from pipeline.domain.source import BlockKind, Extraction, InputType, Quality, ReadHints, SourceLimits
from pipeline.domain.text import canonicalise
from pipeline.intake.decode import decode
from pipeline.intake.structure import text_blocks


def extract_text(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a text file or a paste.

    Raises:
        InputRejected: UNDECODABLE.
    """
    raw, codec = decode(data, declared=hints.charset)
    text, offsets = canonicalise(raw)
    blocks = text_blocks(text)
    title = next((text[b.start : b.end] for b in blocks[:1] if b.kind is not BlockKind.PARAGRAPH), "")
    if not title and kind is not InputType.PASTE:
        title = name.rsplit(".", 1)[0]
    return Extraction(
        title=title,
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.FULL,
        extractor="plain 1",
        codec=codec,
    )
