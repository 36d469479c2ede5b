"""A DOCX → HTML by mammoth → pieces, through the same tree as a page.

What mammoth does not know is settled before it: hidden and deleted words leave (rule SRC-8), and the labels that Word
counts by itself (第一条, 一、, (a)) are written out, since a question may name them.
"""

from __future__ import annotations

import io
from importlib.metadata import version
from xml.parsers.expat import ExpatError

import mammoth

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Block, BlockKind, Extraction, InputType, Quality, ReadHints, Reason, SourceLimits
from pipeline.domain.text import find_quote
from pipeline.intake.docx_parts import ITEM_STYLE, prepared
from pipeline.intake.drafted import drafted
from pipeline.intake.page_markup import parse
from pipeline.intake.page_pictures import Pictures
from pipeline.intake.page_unseen import invisible_words, remove_unseen
from pipeline.intake.structure import looks_like_title
from pipeline.intake.tree import walked
from pipeline.intake.zipped import Zipped

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how Office wraps a document with a password
_NEAR = 4  # blocks
_STYLES = f"""
p.{ITEM_STYLE} => ul > li:fresh
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
p[style-name='Quote'] => blockquote > p:fresh
"""


def extract_docx(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a Word document.

    Raises:
        InputRejected: ENCRYPTED, TOO_LARGE (a bomb), BROKEN or NO_TEXT.
    """
    if data.startswith(_OLE):
        raise InputRejected(Reason.ENCRYPTED)
    ready = prepared(Zipped(data, limits))
    try:
        # A style map that came with the document could send its text anywhere: ours only.
        found = mammoth.convert_to_html(io.BytesIO(ready.data), style_map=_STYLES, include_embedded_style_map=False)
    except _MALFORMED as error:
        raise InputRejected(Reason.BROKEN, f"mammoth: {error!r}"[:200]) from error
    tree = parse(f"<html><body>{found.value}</body></html>")
    removed = ready.removed + remove_unseen(tree)
    walk = walked(tree.find("body"))
    if not walk.pieces:
        raise InputRejected(Reason.NO_TEXT)
    draft = drafted(walk.pieces + walk.notes)
    raw, text, offsets, blocks = draft.build()
    pictures = Pictures()
    for image, index in walk.images:
        pictures.add(image, draft.starts[min(index, len(draft.starts) - 1)])
    return Extraction(
        title=_title(text, blocks, ready.title) or name.rsplit(".", 1)[0],
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.FULL,
        extractor=f"mammoth {version('mammoth')}",
        codec="utf-8",
        assets=tuple(pictures.assets),
        removed=(*removed, *invisible_words(raw)),
    )


def _title(text: str, blocks: tuple[Block, ...], told: str) -> str:
    """A heading at the beginning, the properties' title where the text has it too (templates leave theirs), else a
    first line that looks like one.
    """
    for block in blocks[:_NEAR]:
        if block.kind is BlockKind.HEADING and block.level == 1:
            return text[block.start : block.end]
    if told and find_quote(told, text):
        return told
    first = text[blocks[0].start : blocks[0].end] if blocks else ""
    return first if looks_like_title(first) else told


# What a damaged package makes mammoth and the XML reader below it raise; anything else is a defect of ours.
_MALFORMED: tuple[type[Exception], ...] = (
    KeyError,
    ValueError,
    AttributeError,
    TypeError,
    IndexError,
    OSError,
    RecursionError,
    ExpatError,
)
