"""Files inside a PDF: listed with name and size, never opened."""

from __future__ import annotations

import ctypes
import io
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pypdfium2.raw as pdfium

from pipeline.domain.source import Attachment

_MAX_FILES = 200
_MAX_STRING = 128 * 1024  # bytes
_MAX_REPAIR = 10 * 1024 * 1024  # bytes of a PDF that a second, slower reader may look at


def wide(read: Callable[[Any, int], int]) -> str:
    """Call a pdfium function that fills a buffer with UTF-16 and returns how many bytes that takes."""
    size = read(None, 0)
    if size <= 2 or size > _MAX_STRING:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore").replace("\r\n", "\n").replace("\r", "\n").strip()


def attachment_of(handle: Any) -> list[Attachment]:
    """Name and size of an attached file; its bytes are not kept."""
    if not handle:
        return []
    name = wide(lambda buffer, size: int(pdfium.FPDFAttachment_GetName(handle, buffer, size)))
    size = ctypes.c_ulong()
    pdfium.FPDFAttachment_GetFile(handle, None, 0, ctypes.byref(size))
    return [Attachment(_decoded(name) or "?", int(size.value))]


def _decoded(name: str) -> str:
    """Some writers put the bytes of a UTF-16 string where pdfium takes each for a character."""
    if not name.startswith("þÿ"):
        return name
    try:
        return name.encode("latin-1").decode("utf-16")
    except UnicodeError:
        return name


def attachments_of(document: Any, data: bytes) -> list[Attachment]:
    """Files that a document carries as a whole.

    pdfium does not find the contents of some; pypdf is asked for those sizes, and its failure costs nothing but them.
    """
    found: list[Attachment] = []
    for index in range(min(pdfium.FPDFDoc_GetAttachmentCount(document.raw), _MAX_FILES)):
        found += attachment_of(pdfium.FPDFDoc_GetAttachment(document.raw, index))
    if all(file.size for file in found) or len(data) > _MAX_REPAIR:
        return found
    sizes = _sizes(data)
    return [replace(file, size=file.size or sizes.get(file.name, 0)) for file in found]


def _sizes(data: bytes) -> dict[str, int]:
    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        files = pypdf.PdfReader(io.BytesIO(data)).attachment_list
        return {file.name: int(file.size or len(file.content)) for file in list(files)[:_MAX_FILES]}
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, RecursionError):
        return {}
