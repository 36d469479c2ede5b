"""The parts of a DOCX, settled before mammoth reads them: what is hidden or deleted leaves, labels are written out."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from typing import Any

from lxml import etree

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason, Removed
from pipeline.intake.docx_labels import Labels
from pipeline.intake.docx_names import W, on, value
from pipeline.intake.zipped import Zipped

ITEM_STYLE = "earmark-item"  # given to paragraphs with a label of their own; mammoth makes list items of them
_DOCUMENT = "word/document.xml"
_MAX_XML_BYTES = 40 * 1024 * 1024  # mammoth holds some thirty times as much
_CODECS = ("ascii", "utf-16-le", "utf-16-be")
_DECLARES = tuple(mark.encode(codec) for mark in ("<!DOCTYPE", "<!ENTITY") for codec in _CODECS)
_TINY_HALF_POINTS = 2
_TOC = re.compile(r"toc \d$|toc heading$|目录 ?\d$", re.IGNORECASE)
_MAX_REMOVED, _MAX_REMOVED_CHARS = 200, 2_000
_MIB = 1024 * 1024


@dataclass(frozen=True)
class Ready:
    """``data``: a package for mammoth; ``title``: what its properties say."""

    data: bytes
    title: str
    removed: list[Removed]


def prepared(zipped: Zipped) -> Ready:
    """Return the package with its texts settled.

    Raises:
        InputRejected: BROKEN, or TOO_LARGE when a part is larger than a child can hold.
    """
    parts = {name: _part(zipped, name) for name in zipped.names if name.endswith((".xml", ".rels"))}
    if _DOCUMENT not in parts:
        raise InputRejected(Reason.BROKEN, "a document without its text")
    styles = _tree(parts["word/styles.xml"]) if "word/styles.xml" in parts else None
    numbering = _tree(parts["word/numbering.xml"]) if "word/numbering.xml" in parts else None
    removed: list[Removed] = []
    for name in (_DOCUMENT, "word/footnotes.xml", "word/endnotes.xml"):
        if name in parts:
            tree = _tree(parts[name])
            _remove(tree, _contents_styles(styles), removed)
            if name == _DOCUMENT:
                _label(tree, Labels(numbering, styles))
            parts[name] = etree.tostring(tree, encoding="utf-8", xml_declaration=True)
    title = _title(parts["docProps/core.xml"]) if "docProps/core.xml" in parts else ""
    return Ready(_packed(zipped, parts), title, removed)


def _part(zipped: Zipped, name: str) -> bytes:
    if zipped.size(name) > _MAX_XML_BYTES:
        raise InputRejected(Reason.TOO_LARGE, limit_mb=_MAX_XML_BYTES // _MIB)
    content = zipped.read(name)
    if content is None:
        raise InputRejected(Reason.BROKEN, f"damaged: {name}")
    if any(mark in content for mark in _DECLARES):
        raise InputRejected(Reason.BROKEN, "a document type inside an Office file")  # never legitimate; bombs need it
    return content


def _tree(content: bytes) -> Any:
    """Parse a part; libxml2's own limit of depth (256) also protects the recursive reader that comes after."""
    try:
        return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputRejected(Reason.BROKEN, str(error)[:200]) from error


def _title(content: bytes) -> str:
    return " ".join("".join(e.text or "" for e in _tree(content).iter("{*}title")).split())


def _contents_styles(styles: Any) -> frozenset[str]:
    """Ids of the styles of table-of-contents lines."""
    if styles is None:
        return frozenset()
    return frozenset(
        style.get(f"{W}styleId", "") for style in styles.iter(f"{W}style") if _TOC.match(value(style, "name") or "")
    )


def _remove(tree: Any, contents: frozenset[str], removed: list[Removed]) -> None:
    for element in list(tree.iter(f"{W}del", f"{W}moveFrom", f"{W}r", f"{W}p")):
        why = _why(element, contents)
        above = element.getparent()
        if not why or above is None or above.tag in (f"{W}rPr", f"{W}trPr"):
            continue
        text = " ".join("".join(t.text or "" for t in element.iter(f"{W}t", f"{W}delText")).split())
        if len(text) > 1 and len(removed) < _MAX_REMOVED:
            removed.append(Removed(why, text[:_MAX_REMOVED_CHARS]))
        above.remove(element)
    for doubled in tree.iter(f"{W}dstrike"):
        doubled.tag = f"{W}strike"  # mammoth knows the single line only


def _why(element: Any, contents: frozenset[str]) -> str:
    if element.tag in (f"{W}del", f"{W}moveFrom"):
        return "deleted"
    if element.tag == f"{W}p":
        style = element.find(f"{W}pPr/{W}pStyle")
        return "furniture" if style is not None and style.get(f"{W}val") in contents else ""
    properties = element.find(f"{W}rPr")
    if properties is None:
        return ""
    size = value(properties, "sz") or ""
    tiny = size.isdecimal() and int(size) <= _TINY_HALF_POINTS
    return "hidden" if on(properties, "vanish") or tiny else ""


def _label(tree: Any, labels: Labels) -> None:
    """Write the label of each numbered paragraph in front of its text, and take its numbering away."""
    for paragraph in tree.iter(f"{W}p"):
        found = labels.of(paragraph)
        if found is None:
            continue
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            properties = etree.SubElement(paragraph, f"{W}pPr")
            paragraph.insert(0, properties)
        for numbering in properties.findall(f"{W}numPr"):
            properties.remove(numbering)
        if found.item:
            style = properties.find(f"{W}pStyle")
            if style is None:
                style = etree.SubElement(properties, f"{W}pStyle")
                properties.insert(0, style)
            style.set(f"{W}val", ITEM_STYLE)
        if found.text:
            run = etree.Element(f"{W}r")
            etree.SubElement(run, f"{W}t").text = found.text
            paragraph.insert(list(paragraph).index(properties) + 1, run)


def _packed(zipped: Zipped, parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name in zipped.names:
            content = parts[name] if name in parts else zipped.read(name) or b""
            out.writestr(name, content)
    return buffer.getvalue()
