"""A PDF → canonical text (pitfalls P1–P10, rules SRC-3, SRC-5).

pdfium gives each page's text; where its order cannot be trusted, the places of the characters decide. A page without
text, or with text that is none, is listed for OCR and read again with what OCR saw; a page that stays unreadable is
counted and said, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import (
    Extraction,
    InputType,
    OcrPage,
    Quality,
    ReadHints,
    Reason,
    SourceLimits,
)
from pipeline.intake.garbled import is_garbled
from pipeline.intake.paged import PageText, best_title, put_together
from pipeline.intake.pdf_files import attachments_of
from pipeline.intake.pdf_outline import labels_of, outline_of, title_of
from pipeline.intake.pdf_page import PageRead, PageReader, State
from pipeline.intake.recognised import seen

_EMPTY = PageText("")
_MOST = 0.5  # of the scanned pages: when so many are doubtful, one engine made them all
_FEWER = 0.5  # of the layer's letters: OCR that saw less than this is the worse of the two


def extract_pdf(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a PDF.

    Raises:
        InputRejected: ENCRYPTED, BROKEN, TOO_MANY_PAGES (``pages``, ``limit``) or NO_TEXT.
    """
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        secret = getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD
        raise InputRejected(Reason.ENCRYPTED if secret else Reason.BROKEN, str(error)) from error
    try:
        return _extract(document, data, name, limits, hints)
    finally:
        document.close()


def _extract(document: Any, data: bytes, name: str, limits: SourceLimits, hints: ReadHints) -> Extraction:
    forms = _forms(document)
    pages = len(document)
    if pages > limits.max_pdf_pages:
        raise InputRejected(Reason.TOO_MANY_PAGES, pages=pages, limit=limits.max_pdf_pages)
    if pages == 0:
        raise InputRejected(Reason.BROKEN)
    reader = PageReader(forms)
    reads = _doubted([reader.read(document, index) for index in range(pages)])
    told = _settled(reads, {page.page: page for page in hints.recognised}, limits)
    if not told.unread and not any(page.text.strip() for page in told.pages):
        raise InputRejected(Reason.NO_TEXT, pages=pages)
    paged = put_together(told.pages, outline_of(document))
    files = (*attachments_of(document, data), *reader.files)
    engine = next((page.engine for page in hints.recognised if page.page in told.by_ocr), "")
    return Extraction(
        title=best_title(title_of(document), paged.text, paged.blocks, name),
        text=paged.text,
        raw=paged.raw,
        offsets=paged.offsets,
        blocks=paged.blocks,
        quality=told.quality(paged.text),
        extractor=f"pypdfium2 {version('pypdfium2')}" + (f", {engine}" if engine else ""),
        pages=pages,
        page_starts=paged.page_starts,
        page_labels=labels_of(document, pages) or paged.labels,
        unread=told.unread,
        recognised=told.recognised,
        boxes=paged.boxes,
        attachments=files,
        removed=paged.removed,
        notes=(*told.notes(), *((f"attachments:{len(files)}",) if files else ())),
    )


def _forms(document: Any) -> Any:
    """The form environment of a document with fields; a document whose forms are broken is read without them."""
    try:
        return document.formenv if document.init_forms() else None
    except pypdfium2.PdfiumError:
        return None


def _doubted(reads: list[PageRead]) -> list[PageRead]:
    """Where most of a document's scanned pages are doubtful, the others are too."""
    layered = [read for read in reads if read.state in (State.LAYER, State.DOUBTFUL)]
    doubtful = sum(read.state is State.DOUBTFUL for read in layered)
    if doubtful <= _MOST * len(layered):
        return reads
    return [PageRead(State.DOUBTFUL, read.page, read.letters) if read.state is State.LAYER else read for read in reads]


@dataclass
class _Told:
    """What each page finally says, and what has to be said about the pages."""

    pages: list[PageText] = field(default_factory=list)
    unread: tuple[int, ...] = ()
    recognised: tuple[int, ...] = ()
    by_ocr: frozenset[int] = frozenset()  # of those, read by us
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, what: str, more: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + more

    def quality(self, text: str) -> Quality:
        missing = self.counts.get("pages_not_recognised", 0) + self.counts.get("pages_unreadable", 0)
        if not text.strip():
            return Quality.EMPTY
        return Quality.PARTIAL if missing else Quality.FULL

    def notes(self) -> tuple[str, ...]:
        return tuple(f"{what}:{count}" for what, count in self.counts.items() if count)


def _settled(reads: Sequence[PageRead], seen_by_ocr: Mapping[int, OcrPage], limits: SourceLimits) -> _Told:
    """Take each page's own text or what OCR saw on it; list what OCR has to look at first."""
    told = _Told()
    wanted = [
        number
        for number, read in enumerate(reads, start=1)
        if read.state in (State.PICTURE, State.GARBLED, State.DOUBTFUL)
    ]
    if not seen_by_ocr:
        told.unread = tuple(wanted[: limits.max_ocr_pages])
    recognised: list[int] = []
    by_ocr: set[int] = set()
    for number, read in enumerate(reads, start=1):
        looked = seen_by_ocr.get(number)
        if number not in wanted:
            told.pages.append(read.page)
            if read.state is State.LAYER:
                recognised.append(number)
            elif read.state is State.BLANK:
                told.count("pages_without_text")
        elif looked is None:
            told.pages.append(_unseen(told, read))
        else:
            page, ours = _looked_at(told, read, looked)
            told.pages.append(page)
            if page.text.strip():
                recognised.append(number)
                by_ocr |= {number} if ours else set()
    if recognised:
        told.count("pages_recognised", len(recognised))
    told.recognised, told.by_ocr = tuple(recognised), frozenset(by_ocr)
    return told


def _unseen(told: _Told, read: PageRead) -> PageText:
    """A page that OCR did not look at: doubtful text is better than none, and said to be doubtful."""
    if read.state is State.DOUBTFUL:
        told.count("pages_doubtful")
        return read.page
    told.count("pages_unreadable" if read.state is State.GARBLED else "pages_not_recognised")
    return _EMPTY


def _looked_at(told: _Told, read: PageRead, looked: OcrPage) -> tuple[PageText, bool]:
    """The better of OCR and the page's own doubtful layer, and whether it is OCR's."""
    found = seen(looked)
    letters = len("".join(found.page.text.split()))
    usable = found.lines and not found.noise and not is_garbled(found.page.text)
    if read.state is State.DOUBTFUL and (not usable or letters < _FEWER * read.letters):
        return read.page, False
    if usable:
        told.count("ocr_uncertain", found.uncertain)
        return found.page, True
    told.count("pages_unreadable" if read.state is State.GARBLED or found.lines else "pages_without_text")
    return _EMPTY, False
