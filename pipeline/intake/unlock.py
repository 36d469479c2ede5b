"""Take the password off a PDF, so that it is asked for once and stored nowhere (pitfall P10)."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason

_CODECS = ("utf-8", "latin-1", "gb18030")  # files before PDF 2.0 took whatever bytes the writer's machine gave

_MAX_BYTES = 1_024  # no PDF takes more than 127; each spelling is hashed many times over


def unlock_pdf(data: bytes, *, password: str) -> bytes:
    """Return the PDF without encryption; its user or its owner password opens it.

    Raises:
        InputRejected: WRONG_PASSWORD or BROKEN; neither says anything of the password.
    """
    for attempt in _spellings(password):
        # pypdfium2 takes a string and writes it as UTF-8: another codec's bytes must go to pdfium directly.
        raw = pdfium.FPDF_LoadMemDocument64(data, len(data), attempt)
        if not raw:
            if pdfium.FPDF_GetLastError() != pdfium.FPDF_ERR_PASSWORD:
                raise InputRejected(Reason.BROKEN)
            continue
        document = pypdfium2.PdfDocument(raw)
        try:
            return _saved(document)
        except pypdfium2.PdfiumError:
            raise InputRejected(Reason.BROKEN) from None
        finally:
            document.close()
    raise InputRejected(Reason.WRONG_PASSWORD)


def _spellings(password: str) -> Iterator[bytes]:
    seen: set[bytes] = set()
    for codec in _CODECS:
        try:
            spelled = password.encode(codec)
        except UnicodeEncodeError:
            continue
        if spelled not in seen and b"\0" not in spelled and len(spelled) <= _MAX_BYTES:
            seen.add(spelled)
            yield spelled + b"\0"


def _saved(document: pypdfium2.PdfDocument) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer, flags=pdfium.FPDF_REMOVE_SECURITY)
    return buffer.getvalue()
