"""What kind of input bytes are: the bytes decide, the name only where they cannot (rules SRC-5, SRC-6)."""

from __future__ import annotations

import re

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Reason, SourceLimits
from pipeline.intake.page_archive import is_archive
from pipeline.intake.subtitle_signs import SIGN_BYTES, looks_like_subtitles

_MIB = 1024 * 1024
_SNIFF = 4_096

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "picture"),
    (b"\xff\xd8\xff", "picture"),
    (b"GIF8", "picture"),
    (b"BM", "picture"),
    (b"II*\0", "picture"),
    (b"MM\0*", "picture"),
    (b"\0\0\1\0", "picture"),
    (b"8BPS", "picture"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"FLV\x01", "video"),
    (b"\0\0\1\xba", "video"),
    (b"ID3", "audio"),
    (b"\xff\xfb", "audio"),
    (b"\xff\xf3", "audio"),
    (b"\xff\xf1", "audio"),
    (b"OggS", "audio"),
    (b"fLaC", "audio"),
    (b"#!AMR", "audio"),
    (b"PK\x03\x04", "archive"),
    (b"PK\x05\x06", "archive"),
    (b"7z\xbc\xaf'\x1c", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ\0", "archive"),
    (b"(\xb5/\xfd", "archive"),
    (_OLE, "office"),
    (b"{\\rtf", "office"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"SQLite format 3\0", "database"),
)
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_OFFICE_IN_ZIP = re.compile(rb"word/|xl/|ppt/|\[Content_Types\]\.xml|mimetypeapplication/(?:epub|vnd)")
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]|<meta\s", re.IGNORECASE)
_MARKUP = re.compile(rb"<(?:p|div|span|table|article|section|h[1-6]|br)[\s/>]", re.IGNORECASE)
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF|opml)[\s>]", re.IGNORECASE)
_TEXT_BOM = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


def route(data: bytes, *, name: str, limits: SourceLimits) -> InputType:
    """Return how ``data`` is to be read.

    Raises:
        InputRejected: EMPTY_FILE, TOO_LARGE (``limit_mb``), WRONG_KIND (``kind``) or BROKEN.
    """
    if not data or not data[:_SNIFF].strip() and not data.strip():
        raise InputRejected(Reason.EMPTY_FILE)
    head = data[:_SNIFF]
    suffix = name.lower().rsplit(".", 1)[-1] if "." in name else ""
    if b"%PDF-" in head[:1024]:
        _bounded(data, limits.max_pdf_bytes)
        return InputType.PDF
    if is_picture(head):
        _bounded(data, limits.max_image_bytes)
        return InputType.IMAGE
    if packed := _packed(data, head):
        _bounded(data, limits.max_pdf_bytes)
        return packed
    if kind := _foreign(head):
        raise InputRejected(Reason.WRONG_KIND, kind=kind)
    _bounded(data, limits.max_text_bytes)
    if looks_like_subtitles(data[:SIGN_BYTES], suffix):
        return InputType.SUBTITLE
    if _is_html(head, suffix):
        return InputType.HTML
    if _is_binary(data):
        if suffix == "pdf":
            raise InputRejected(Reason.BROKEN)
        raise InputRejected(Reason.WRONG_KIND, kind="binary")
    return InputType.MARKDOWN if suffix in ("md", "markdown", "mdown", "mkd") else InputType.TEXT


def is_picture(head: bytes) -> bool:
    """PNG, JPEG, GIF, BMP, TIFF and WebP; further picture formats are named in a refusal."""
    if head.startswith(b"RIFF"):
        return head[8:12] == b"WEBP"
    return head.startswith(_PICTURES) and not (head[:2] == b"BM" and _only_letters(b"BM", head))


def _packed(data: bytes, head: bytes) -> InputType | None:
    """EPUB and DOCX are zip files that say what they are in the names of their members; a web archive is mail."""
    if is_archive(head):
        return InputType.HTML
    if data.startswith(_OLE) and _ENCRYPTED_PACKAGE in data:
        return InputType.DOCX  # its reader says that it has a password
    if not data.startswith(b"PK\x03\x04"):
        return None
    if b"application/epub+zip" in data[:_SNIFF]:
        return InputType.EPUB
    if b"META-INF/container.xml" in data and b".opf" in data:
        return InputType.EPUB
    return InputType.DOCX if b"word/document" in data else None


def _bounded(data: bytes, limit: int) -> None:
    if len(data) > limit:
        raise InputRejected(Reason.TOO_LARGE, limit_mb=limit // _MIB)


def _foreign(head: bytes) -> str:
    """Name a format that is not read yet, by its first bytes; "" for none."""
    for magic, kind in _MAGIC:
        if head.startswith(magic) and not _only_letters(magic, head):
            return "office" if kind == "archive" and _OFFICE_IN_ZIP.search(head) else kind
    if head[4:8] == b"ftyp":
        return "picture" if head[8:12] in (b"heic", b"heix", b"mif1", b"avif") else "video"
    if head.startswith(b"RIFF"):
        return {b"WEBP": "picture", b"WAVE": "audio"}.get(head[8:12], "video")
    if _FEED.search(head[:1024]) and not _HTML.search(head[:1024]):
        return "feed"
    return ""


def _only_letters(magic: bytes, head: bytes) -> bool:
    """Text may begin with "BM" or "MZ": those signatures count only in front of binary."""
    return magic in (b"BM", b"MZ", b"ID3", b"BZh", b"GIF8") and b"\0" not in head[:64]


def _is_html(head: bytes, suffix: str) -> bool:
    narrow = head.replace(b"\0", b"")  # UTF-16 and UTF-32 hide the tags between zero bytes
    if suffix in ("md", "markdown"):  # Markdown may hold tags anywhere; only a document is a document
        return bool(
            re.match(rb"\s*(?:<!doctype\s+html|<html[\s>])", narrow.lstrip(b"\xef\xbb\xbf\xff\xfe"), re.IGNORECASE)
        )
    if suffix in ("html", "htm", "xhtml"):
        return b"<" in narrow
    return bool(_HTML.search(narrow[:2_048])) or (suffix == "pdf" and bool(_MARKUP.search(narrow)))


def _is_binary(data: bytes) -> bool:
    """Zero bytes that no wide encoding explains, or a flood of control characters."""
    if data.startswith(_TEXT_BOM):
        return False
    sample = data[:65_536]
    zeros = sample.count(0)
    if zeros:
        even, odd = sample[::2].count(0), sample[1::2].count(0)
        return min(even, odd) > 0.02 * zeros or zeros < 0.2 * len(sample) / 2
    controls = len(sample.translate(None, bytes(b for b in range(256) if b >= 32 or b in (7, 8, 9, 10, 12, 13, 27))))
    return controls > 0.01 * len(sample)
