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
    IMAGE = "image"  # a screenshot or a photographed notice: read by OCR
    EPUB = "epub"
    DOCX = "docx"
    SUBTITLE = "subtitle"  # any of the subtitle formats; which one, the reader finds out
    LINK = "link"  # an address whose bytes are not fetched yet


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


class AssetState(StrEnum):
    WAITING = "waiting"  # its address is known, its bytes are not
    STORED = "stored"
    FAILED = "failed"


class Reason(StrEnum):
    """Why an input is refused. Each has its sentence, with a way out, in bot/texts (both languages)."""

    EMPTY_FILE = "empty_file"  # 0 bytes, or nothing but white space
    NO_TEXT = "no_text"  # opened, but there is no text in it (a PDF of pictures, a page of scripts)
    TOO_LARGE = "too_large"  # values: limit_mb
    TOO_MANY_PAGES = "too_many_pages"  # values: pages, limit
    TOO_MANY_PIXELS = "too_many_pixels"  # values: megapixels, limit (of a picture, both in millions)
    ENCRYPTED = "encrypted"
    BROKEN = "broken"  # claims a format it does not have, or cannot be opened
    WRONG_KIND = "wrong_kind"  # values: kind; a picture, a video, an archive ... (not read yet)
    ADDRESS_REFUSED = "address_refused"  # values: why (scheme | private | port | userinfo | malformed), host
    FETCH_TOO_LARGE = "fetch_too_large"  # values: limit_mb; the answer, or what it unpacks to, has no end in sight
    TOO_MANY_REDIRECTS = "too_many_redirects"  # values: limit
    BLOCKED_PAGE = "blocked_page"  # values: what (removed | login | challenge | paywall | missing), sign
    WRONG_PASSWORD = "wrong_password"
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
class OcrLine:
    """One recognised line. ``box`` is ``(x0, y0, x1, y1)`` in pixels of the recognised picture, from its top left."""

    text: str
    box: tuple[int, int, int, int]
    score: float  # the engine's own, 0 to 1


@dataclass(frozen=True)
class OcrPage:
    """What OCR saw on one page (1-based; a picture is page 1), in the engine's order."""

    page: int
    width: int
    height: int
    lines: tuple[OcrLine, ...]
    engine: str  # name and version


@dataclass(frozen=True)
class ReadHints:
    """What is known about the bytes besides the bytes. ``password`` never reaches a log, a row or an error."""

    charset: str | None = None  # the carrier's word (HTTP header); believed only if it decodes
    address: str | None = None  # where the page lies: resolves its links, and picks rules of its site
    recognised: tuple[OcrPage, ...] = ()  # of the pages that an earlier reading listed as ``unread``


@dataclass(frozen=True)
class Box:
    """Where canonical text stands in a picture or on a recognised page, as shares (0 to 1) of its width and height."""

    start: int
    end: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True)
class Cue:
    """A subtitle cue: canonical ``[start, end)`` is said from ``start_ms`` to ``end_ms``."""

    start: int
    end: int
    start_ms: int
    end_ms: int
    speaker: str = ""


@dataclass(frozen=True)
class Asset:
    """A picture of the article. Either ``address`` (absolute, to be fetched) or ``data`` (base64, it came along)."""

    at: int  # canonical offset of the block it belongs to
    address: str = ""
    alt: str = ""
    media_type: str = ""
    data: str = ""


@dataclass(frozen=True)
class Attachment:
    """A file inside a PDF: listed, not read."""

    name: str
    size: int


@dataclass(frozen=True)
class Removed:
    """Text that a reader does not see or that is no statement any more; in the ledger, never evidence (rule SRC-8).

    ``why`` is ``hidden | deleted | furniture | invisible | repeated | repaired``.
    """

    why: str
    text: str


@dataclass(frozen=True)
class Extraction:
    """What a parser child returns: the canonical text and everything known about how it came to be.

    ``text`` may be empty only while ``unread`` is not: those pages hold pictures, and OCR comes first.
    """

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
    page_labels: tuple[str, ...] = ()  # the printed numbers (iv, A-3), where a PDF gives them
    unread: tuple[int, ...] = ()  # pages (1-based) without readable text, for OCR; empty once they were recognised
    recognised: tuple[int, ...] = ()  # pages whose text is OCR, and is marked as such wherever it is quoted
    boxes: tuple[Box, ...] = ()
    cues: tuple[Cue, ...] = ()
    assets: tuple[Asset, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    removed: tuple[Removed, ...] = ()
    notes: tuple[str, ...] = field(
        default=()
    )  # what a person should know, as keys of bot/texts, e.g. "pages_without_text:3"


@dataclass(frozen=True)
class SourceLimits:
    """Rules SRC-6 (files) and SEC-3. Sizes in bytes."""

    max_pdf_bytes: int = 50 * 1024 * 1024
    max_pdf_pages: int = 1_000
    max_text_bytes: int = 25 * 1024 * 1024
    max_image_bytes: int = 20 * 1024 * 1024
    max_image_pixels: int = 60_000_000
    max_unpacked_bytes: int = 200 * 1024 * 1024  # of a zipped document (EPUB, DOCX)
    max_ocr_pages: int = 120  # further ones are reported as missing
    ocr_page_time_s: int = 60
    ocr_memory_bytes: int = 4 * 1024**3  # address space; onnxruntime maps about twice what it touches
    parse_time_s: int = 60
    parse_memory_bytes: int = 2 * 1024**3
    min_chars: int = 20  # shorter texts are a message, not a source
