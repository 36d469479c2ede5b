"""One page of a PDF: what it says, and whether that can be believed (pitfalls P1, P2, P6–P8; rules SRC-5, SRC-8)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from pipeline.domain.source import Attachment
from pipeline.intake.garbled import is_doubtful, is_garbled
from pipeline.intake.paged import PageText
from pipeline.intake.pdf_arrange import arranged
from pipeline.intake.pdf_forms import fields_of
from pipeline.intake.pdf_glyphs import Frame, Glyph, Rect, frame_of, glyphs_of, lines_flowing
from pipeline.intake.pdf_rules import lattices_of
from pipeline.intake.pdf_signs import Marks, marks_of, rects_of, signs_of
from pipeline.intake.pdf_tables import Header

_MAX_GLYPHS = 2_500_000  # characters of one document whose places are read; later pages are read by the stream alone
_MAX_PAGE_GLYPHS = 60_000
_FEW = 40  # letters on a page that is a picture: a scanner's mark, a caption
_OUTSIDE = 1.0  # points


class State(Enum):
    """READ: its text is its text. LAYER: someone else's OCR, and it looks right. DOUBTFUL: it looks wrong.

    BLANK: nothing is on it. PICTURE: something is, but no text. GARBLED: text, but not its text.
    """

    READ = "read"
    LAYER = "layer"
    DOUBTFUL = "doubtful"
    BLANK = "blank"
    PICTURE = "picture"
    GARBLED = "garbled"


@dataclass(frozen=True)
class PageRead:
    state: State
    page: PageText
    letters: int = 0


@dataclass
class PageReader:
    """Reads the pages of one open document in order; remembers what goes on from page to page."""

    forms: Any = None  # pdfium's form environment, None for a document without fields
    left: int = _MAX_GLYPHS
    header: Header | None = None
    files: list[Attachment] = field(default_factory=list)  # attached to places on pages

    def read(self, document: Any, index: int) -> PageRead:
        """Read page ``index`` (0-based); one that does not load is a picture of which nothing is known."""
        before, self.header = self.header, None
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            return PageRead(State.PICTURE, PageText(""))
        try:
            textpage = page.get_textpage()
            try:
                return self._read(page, textpage, before)
            finally:
                textpage.close()
        except pypdfium2.PdfiumError:
            return PageRead(State.PICTURE, PageText(""))
        finally:
            page.close()

    def _read(self, page: Any, textpage: Any, before: Header | None) -> PageRead:
        frame = frame_of(page, textpage)
        marks = marks_of(page, frame)
        text = textpage.get_text_range()
        rects = rects_of(textpage, frame)
        scanned = marks.pictured(frame)
        hidden = frozenset() if scanned else _hidden(textpage, marks, frame, rects)
        signs = signs_of(text, rects, marks)
        written = PageText(text, goes_on=lines_flowing(textpage, text, frame))
        lattices = lattices_of(marks, frame) if signs.ruled else []
        if (hidden or lattices or signs) and self._affords(textpage.count_chars()):
            found = arranged(
                glyphs_of(textpage, frame), frame, signs=signs, lattices=lattices, hidden=hidden, before=before
            )
            self.header = found.header
            if hidden or found.tells(signs):
                written = found.page
        filled, files = fields_of(page, self.forms)
        self.files += files
        if filled:
            written = _with_fields(written, filled)
        return _judged(written, marks, scanned)

    def _affords(self, count: int) -> bool:
        if count > min(self.left, _MAX_PAGE_GLYPHS):
            return False
        self.left -= count
        return True


def _judged(written: PageText, marks: Marks, scanned: bool) -> PageRead:
    letters = len("".join(written.text.split())) - sum(high - low for low, high in written.hidden)
    if letters <= 0:
        return PageRead(State.PICTURE if marks.objects else State.BLANK, written)
    if is_garbled(written.text):
        return PageRead(State.GARBLED, written, letters)
    if not scanned:
        return PageRead(State.READ, written, letters)
    if letters < _FEW or is_doubtful(written.text):
        return PageRead(State.DOUBTFUL, replace(written, ocr=bool(marks.unseen)), letters)
    if marks.unseen:
        return PageRead(State.LAYER, replace(written, ocr=True), letters)
    return PageRead(State.READ, written, letters)


def _with_fields(written: PageText, filled: Sequence[str]) -> PageText:
    text = written.text.rstrip() + "\n" if written.text.strip() else ""
    if written.hidden and text:
        text = written.text  # the hidden tail keeps its place: its span counts from the start
    return replace(written, text=text + "\n".join(filled) + "\n")


def _hidden(textpage: Any, marks: Marks, frame: Frame, rects: Sequence[Rect]) -> frozenset[int]:
    """Indexes of characters that a reader does not see: drawn invisible, white on nothing, or beside the page."""
    objects = {ctypes.addressof(item.contents) for item in marks.unseen if not _is_backed(item, marks, frame)}
    outside = any(_is_outside(rect, frame) for rect in rects)
    if not objects and not outside:
        return frozenset()
    raw = textpage.raw
    found: list[int] = []
    for glyph in glyphs_of(textpage, frame):
        item = pdfium.FPDFText_GetTextObject(raw, glyph.at) if objects else None
        if (item and ctypes.addressof(item.contents) in objects) or (outside and _is_outside(_box(glyph), frame)):
            found.append(glyph.at)
    return frozenset(found)


def _box(glyph: Glyph) -> Rect:
    return glyph.x0, glyph.y0, glyph.x1, glyph.y1


def _is_outside(rect: Rect, frame: Frame) -> bool:
    x0, y0, x1, y1 = rect
    return x1 < -_OUTSIDE or y1 < -_OUTSIDE or x0 > frame.width + _OUTSIDE or y0 > frame.height + _OUTSIDE


def _is_backed(item: Any, marks: Marks, frame: Frame) -> bool:
    """Whether something is drawn where the text stands: a picture that it transcribes, a dark ground it shows on."""
    sides = tuple(ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(item, *map(ctypes.byref, sides)):
        return True
    x0, y0, x1, y1 = frame.seen(*(side.value for side in sides))
    across, down = (x0 + x1) / 2, (y0 + y1) / 2
    return any(b[0] <= across <= b[2] and b[1] <= down <= b[3] for b in (*marks.pictures, *marks.grounds))
