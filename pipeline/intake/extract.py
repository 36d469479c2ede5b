"""One door to all readers: bytes in, canonical text with its map and blocks out; runs inside the parser child."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Extraction, InputType, ReadHints, Reason, SourceLimits

# Imported by name when needed, so that a child pays only for the reader it uses. Each takes
# ``(data, *, name, kind, limits, hints)`` and returns an Extraction.
_READERS = {
    InputType.HTML: ("pipeline.intake.html", "extract_html"),
    InputType.PDF: ("pipeline.intake.pdf", "extract_pdf"),
    InputType.MARKDOWN: ("pipeline.intake.markdown", "extract_markdown"),
    InputType.TEXT: ("pipeline.intake.plain", "extract_text"),
    InputType.PASTE: ("pipeline.intake.plain", "extract_text"),
    InputType.IMAGE: ("pipeline.intake.image", "extract_image"),
    InputType.EPUB: ("pipeline.intake.epub", "extract_epub"),
    InputType.DOCX: ("pipeline.intake.docx", "extract_docx"),
    InputType.SUBTITLE: ("pipeline.intake.subtitles", "extract_subtitles"),
}
_PLAIN = frozenset({InputType.TEXT, InputType.PASTE, InputType.MARKDOWN})


def extract(
    data: bytes,
    *,
    name: str,
    kind: InputType,
    limits: SourceLimits | None = None,
    hints: ReadHints | None = None,
) -> Extraction:
    """Read ``data`` as ``kind``.

    Raises:
        InputRejected: the Reason says what is wrong with the input.
    """
    limits, hints = limits or SourceLimits(), hints or ReadHints()
    module, function = _READERS[kind]
    read: Callable[..., Extraction] = getattr(import_module(module), function)
    found = read(data, name=name, kind=kind, limits=limits, hints=hints)
    if found.unread and not hints.recognised:
        return found  # what OCR sees decides whether there is enough
    letters = len("".join(found.text.split()))
    if letters == 0:
        raise InputRejected(Reason.EMPTY_FILE if kind in _PLAIN else Reason.NO_TEXT)
    if letters < limits.min_chars:
        raise InputRejected(Reason.TOO_SHORT, limit=limits.min_chars, chars=letters)
    return found
