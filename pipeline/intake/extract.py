"""One door to all readers: bytes in, canonical text with its map and blocks out; runs inside the parser child."""

from __future__ import annotations

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, InputType, Reason, SourceLimits


def extract(data: bytes, *, name: str, kind: InputType, limits: SourceLimits | None = None) -> Extraction:
    """Read ``data`` as ``kind``; the readers are imported here so that a child pays only for the one it needs.

    Raises:
        InputRejected: the Reason says what is wrong with the input.
    """
    limits = limits or SourceLimits()
    if kind is InputType.PDF:
        from pipeline.intake.pdf import extract_pdf

        found = extract_pdf(data, name=name, limits=limits)
    elif kind is InputType.HTML:
        from pipeline.intake.html import extract_html

        found = extract_html(data, name=name)
    elif kind is InputType.MARKDOWN:
        from pipeline.intake.markdown import extract_markdown

        found = extract_markdown(data, name=name)
    else:
        from pipeline.intake.plain import extract_text

        found = extract_text(data, name=name, kind=kind)
    letters = len("".join(found.text.split()))
    if letters == 0:
        raise InputRejected(Reason.EMPTY_FILE if kind in (InputType.TEXT, InputType.PASTE) else Reason.NO_TEXT)
    if letters < limits.min_chars:
        raise InputRejected(Reason.TOO_SHORT, limit=limits.min_chars, chars=letters)
    return found
