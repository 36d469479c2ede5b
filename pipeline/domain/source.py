"""What a source is, what came out of reading it, and why one is refused.

Offsets everywhere are code points of the stored canonical text, half-open (rule SRC-4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class InputType(StrEnum):
    """How the bytes are to be read; decided by the bytes first and the name second."""

    HTML = "html"
    PDF = "pdf"
    MARKDOWN = "markdown"
    TEXT = "text"
    PASTE = "paste"


class Quality(StrEnum):
    """Rule SRC-3."""

    FULL = "FULL"
    LOSSY = "LOSSY"
    PARTIAL = "PARTIAL"
    EMPTY = "EMPTY"
    BLOCKED = "BLOCKED"
    ENCRYPTED = "ENCRYPTED"
    UNREADABLE = "UNREADABLE"


class IndexState(StrEnum):
    """How far retrieval can use a version (rule CHK-3); separate from its quality."""

    NONE = "NONE"
    LEXICAL = "LEXICAL"
    DENSE = "DENSE"


class Reason(StrEnum):
    """Why an input is refused. Each has its sentence, with a way out, in bot/texts (both languages)."""

    EMPTY_FILE = "empty_file"  # 0 bytes, or nothing but white space
    NO_TEXT = "no_text"  # opened, but there is no text in it (a PDF of pictures, a page of scripts)
    TOO_LARGE = "too_large"  # values: limit_mb
    TOO_MANY_PAGES = "too_many_pages"  # values: pages, limit
    ENCRYPTED = "encrypted"
    BROKEN = "broken"  # claims a format it does not have, or cannot be opened
    WRONG_KIND = "wrong_kind"  # values: kind; a picture, a video, an archive ... (not read yet)
    LINK_NOT_YET = "link_not_yet"
    BLOCKED_PAGE = "blocked_page"  # a login, challenge, or "content removed" page
    PARSER_DIED = "parser_died"  # values: how (timeout | memory | crash)
    UNDECODABLE = "undecodable"  # no codec reads the bytes cleanly
    TOO_SHORT = "too_short"  # text too short to be a source


class BlockKind(StrEnum):
    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"


@dataclass(frozen=True)
class Block:
    """One structural piece of a canonical text.

    Blocks are in order and do not overlap; white space between them belongs to none. ``level`` is 1–6 for headings
    and 0 otherwise. ``page`` is the 1-based PDF page on which the block starts.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    page: int | None = None


@dataclass(frozen=True)
class OffsetMap:
    """Raw ↔ canonical as runs: ``(raw_start, raw_end, start, end)``, ascending on both sides.

    Inside a run of equal lengths offsets move in step; a run of unequal lengths maps as a whole. Raw text between two
    runs was removed, canonical text between two runs was inserted. Stored with the version (rule SRC-4).
    """

    runs: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class Extraction:
    """What a parser child returns: the canonical text and everything known about how it came to be."""

    title: str  # "" when the source names none
    text: str  # canonical
    raw: str  # what the extractor gave, before canonicalisation
    offsets: OffsetMap
    blocks: tuple[Block, ...]
    quality: Quality
    extractor: str  # name and version, e.g. "pypdfium2 5.15.0"
    codec: str | None = None  # of the bytes; None for PDF
    pages: int | None = None
    page_starts: tuple[int, ...] = ()  # canonical offset at which each PDF page starts
    removed: tuple[str, ...] = ()  # hidden text, kept for the ledger and never evidence (rule SRC-8)
    notes: tuple[str, ...] = field(
        default=()
    )  # what a person should know, as keys of bot/texts, e.g. "pages_without_text:3"


@dataclass(frozen=True)
class SourceLimits:
    """Rule SRC-6 for files. Sizes in bytes."""

    max_pdf_bytes: int = 50 * 1024 * 1024
    max_pdf_pages: int = 1_000
    max_text_bytes: int = 25 * 1024 * 1024
    parse_time_s: int = 60
    parse_memory_bytes: int = 2 * 1024**3
    min_chars: int = 20  # shorter texts are a message, not a source
