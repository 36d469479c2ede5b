"""What stands on a PDF page beside its content stream: filled fields, typed-on notes, attached files."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

_MAX_ANNOTATIONS = 2_000
_MAX_FILES = 200
_MAX_VALUE = 4_000  # characters of one field
_TEXT_FIELDS = frozenset(
    {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}
)
_CHECKS = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW


def wide(read: Callable[[Any, int], int]) -> str:
    """Call a pdfium function that fills a buffer with UTF-16 and returns how many bytes that takes."""
    size = read(None, 0)
    if size <= 2 or size > 2 * _MAX_VALUE * 16:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore").replace("\r\n", "\n").replace("\r", "\n").strip()


def fields_of(page: Any, forms: Any) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the page's filled fields as ``名称：值`` lines, typed-on text, and attached files as (name, size)."""
    count = pdfium.FPDFPage_GetAnnotCount(page.raw)
    placed: list[tuple[float, float, str]] = []
    files: list[tuple[str, int]] = []
    for index in range(min(count, _MAX_ANNOTATIONS)):
        note = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if not note:
            continue
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(note)
            if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
                files += _file(pdfium.FPDFAnnot_GetFileAttachment(note))
            elif kind in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT):
                line = _line(note, kind, forms)
                if line:
                    placed.append((*_place(note), line))
        finally:
            pdfium.FPDFPage_CloseAnnot(note)
    return [line for _, _, line in sorted(placed)], files


def _place(note: Any) -> tuple[float, float]:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(note, ctypes.byref(box)):
        return 0.0, 0.0
    return round(-box.top / 6), box.left  # points; fields of one line are not always level


def _line(note: Any, kind: int, forms: Any) -> str:
    if pdfium.FPDFAnnot_GetFlags(note) & _HIDDEN:
        return ""
    if kind == pdfium.FPDF_ANNOT_FREETEXT:
        return wide(lambda buffer, size: int(pdfium.FPDFAnnot_GetStringValue(note, b"Contents", buffer, size)))
    if forms is None:
        return ""
    sort = pdfium.FPDFAnnot_GetFormFieldType(forms, note)
    if sort in _TEXT_FIELDS:
        value = wide(lambda buffer, size: int(pdfium.FPDFAnnot_GetFormFieldValue(forms, note, buffer, size)))
    elif sort in _CHECKS and pdfium.FPDFAnnot_IsChecked(forms, note):
        value = "✓"
    else:
        return ""
    value = " ".join(value[:_MAX_VALUE].split())
    name = wide(lambda buffer, size: int(pdfium.FPDFAnnot_GetFormFieldAlternateName(forms, note, buffer, size)))
    name = name or wide(lambda buffer, size: int(pdfium.FPDFAnnot_GetFormFieldName(forms, note, buffer, size)))
    name = " ".join(name.split())
    return f"{name}：{value}" if name and value else value


def _file(attachment: Any) -> list[tuple[str, int]]:
    """Name and size of an attached file; its bytes are not taken."""
    if not attachment:
        return []
    name = wide(lambda buffer, size: int(pdfium.FPDFAttachment_GetName(attachment, buffer, size)))
    size = ctypes.c_ulong()
    pdfium.FPDFAttachment_GetFile(attachment, None, 0, ctypes.byref(size))
    return [(name or "?", int(size.value))]


def attached(document: Any) -> list[tuple[str, int]]:
    """Files that a document carries as a whole: name and size."""
    found: list[tuple[str, int]] = []
    for index in range(min(pdfium.FPDFDoc_GetAttachmentCount(document.raw), _MAX_FILES)):
        found += _file(pdfium.FPDFDoc_GetAttachment(document.raw, index))
    return found
