"""What a PDF says of itself: its title, its headings, the numbers printed on its pages."""

from __future__ import annotations

from typing import Any

import pypdfium2

from pipeline.intake.paged import squeezed

_MAX_OUTLINE = 2_000


def title_of(document: Any) -> str:
    return (document.get_metadata_dict().get("Title") or "").strip()


def outline_of(document: Any) -> dict[str, int]:
    """Bookmarks as squeezed title → level (1–6); they tell which lines are headings."""
    levels: dict[str, int] = {}
    try:
        for count, bookmark in enumerate(document.get_toc(max_depth=6)):
            if count >= _MAX_OUTLINE:
                break
            title = squeezed(bookmark.get_title() or "")
            if title:
                levels.setdefault(title, min(6, bookmark.level + 1))
    except pypdfium2.PdfiumError:
        return {}
    return levels


def labels_of(document: Any, pages: int) -> tuple[str, ...]:
    """The printed page numbers (iv, A-3); () when the document gives none, or only the plain count."""
    labels = tuple((document.get_page_label(index) or "").strip() for index in range(pages))
    return () if all(label in ("", str(number)) for number, label in enumerate(labels, start=1)) else labels
