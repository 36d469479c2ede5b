"""What stands on a PDF page beside its content stream: filled fields, typed-on notes."""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

from pipeline.domain.source import Attachment
from pipeline.intake.pdf_files import attachment_of, wide

_MAX_ANNOTATIONS = 2_000
_MAX_VALUE = 4_000  # characters of one field
_TEXT_FIELDS = frozenset(
    {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}
)
_CHECKS = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW


def fields_of(page: Any, forms: Any) -> tuple[list[str], list[Attachment]]:
    """Return the page's filled fields as ``名称：值`` lines and typed-on text, and the files attached to it."""
    count = pdfium.FPDFPage_GetAnnotCount(page.raw)
    placed: list[tuple[float, float, str]] = []
    files: list[Attachment] = []
    for index in range(min(count, _MAX_ANNOTATIONS)):
        note = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if not note:
            continue
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(note)
            if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
                files += attachment_of(pdfium.FPDFAnnot_GetFileAttachment(note))
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
