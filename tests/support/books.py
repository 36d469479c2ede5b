"""Small EPUB and DOCX files, written by hand so that a test can break or lock any part of them."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping, Sequence

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


def zipped(members: Mapping[str, str | bytes], *, packed: bool = True) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return buffer.getvalue()


def chapter(body: str, *, title: str = "x") -> str:
    return (
        "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml' "
        f"xmlns:epub='http://www.idpf.org/2007/ops'><head><title>{title}</title></head><body>{body}</body></html>"
    )


def book(
    chapters: Mapping[str, str],
    *,
    title: str = "湖心站手册",
    order: Sequence[str] | None = None,
    extra: Mapping[str, str | bytes] | None = None,
    items: str = "",
    spine: str = "",
) -> bytes:
    """An EPUB 3 of ``chapters`` (file name → XHTML), read in ``order``; ``items`` and ``spine`` add to the package."""
    listed = "".join(f"<item id='{n}' href='{n}' media-type='application/xhtml+xml'/>" for n in chapters)
    refs = "".join(f"<itemref idref='{n}'/>" for n in (order or chapters))
    package = (
        "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata "
        f"xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>{title}</dc:title></metadata><manifest>{listed}{items}"
        f"</manifest><spine>{refs}{spine}</spine></package>"
    )
    container = (
        "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container' version='1.0'><rootfiles><rootfile "
        "full-path='OEBPS/content.opf' media-type='application/oebps-package+xml'/></rootfiles></container>"
    )
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OEBPS/content.opf": package,
        **{f"OEBPS/{name}": text for name, text in chapters.items()},
        **(extra or {}),
    }
    return zipped(members)


def paragraph(text: str, *, style: str = "", numbered: tuple[int, int] | None = None, run: str = "") -> str:
    """A Word paragraph; ``numbered`` is (list, level), ``run`` properties of its one run."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        properties += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    return (
        f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'
    )


def word(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    footnotes: str = "",
    extra: Mapping[str, str | bytes] | None = None,
) -> bytes:
    parts = {"styles": styles, "numbering": numbering, "footnotes": footnotes}
    related = "".join(
        f'<Relationship Id="r{name}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for name, xml in parts.items()
        if xml
    )
    members = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELS.format(
            f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
        ),
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _RELS.format(related),
        **{f"word/{name}.xml": f"<w:{name} {_W}>{xml}</w:{name}>" for name, xml in parts.items() if xml},
        **(extra or {}),
    }
    return zipped(members)
