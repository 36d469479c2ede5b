"""The package of an EPUB: which files are chapters, in which order, what they are called, whether they are locked."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason
from pipeline.intake.zipped import Zipped

_HTML = frozenset(("application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document"))
# These hide fonts from copying; the text stays open.
_FONT_LOCKS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_MAX_XML_BYTES = 20 * 1024 * 1024
_MAX_CHAPTERS = 5_000


@dataclass(frozen=True)
class Item:
    name: str  # of the member
    kind: str  # media type


@dataclass(frozen=True)
class Package:
    """``labels``: member → its line in the table of contents; ``kinds``: member → media type."""

    title: str
    chapters: tuple[Item, ...]
    labels: dict[str, str]
    kinds: dict[str, str]


def package(zipped: Zipped) -> Package:
    """Read the package file.

    Raises:
        InputRejected: BROKEN without one; ENCRYPTED when a chapter is locked.
    """
    path = _package_path(zipped)
    root = xml(zipped, path)
    if root is None:
        raise InputRejected(Reason.BROKEN, "a book without its package file")
    folder = posixpath.dirname(path)
    items: dict[str, tuple[Item, str]] = {}
    for element in root.iter("{*}item"):
        name = member(folder, element.get("href", ""))
        items[element.get("id", "")] = (Item(name, element.get("media-type", "")), element.get("properties", ""))
    contents = {member(folder, r.get("href", "")) for r in root.iter("{*}reference") if r.get("type") == "toc"}
    spine = [items[ref.get("idref", "")] for ref in root.iter("{*}itemref") if ref.get("idref", "") in items]
    chapters = tuple(
        item
        for item, properties in spine[:_MAX_CHAPTERS]
        if item.kind in _HTML and "nav" not in properties.split() and item.name not in contents
    )
    locked = _locked(zipped)
    if any(item.name in locked for item in chapters):
        raise InputRejected(Reason.ENCRYPTED)
    return Package(
        title=next((" ".join(t.text.split()) for t in root.iter("{*}title") if t.text and t.text.strip()), ""),
        chapters=chapters,
        labels=_labels(zipped, items),
        kinds={item.name: item.kind for item, _ in items.values()},
    )


def member(folder: str, address: str) -> str:
    """The member's name that an address in a file of ``folder`` means."""
    return posixpath.normpath(posixpath.join(folder, unquote(urlsplit(address).path)))


def xml(zipped: Zipped, name: str) -> Any:
    """Parse a member as XML; None when it is missing or too broken. No entity is expanded, nothing is fetched."""
    if zipped.size(name) > _MAX_XML_BYTES or not (content := zipped.read(name)):
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _package_path(zipped: Zipped) -> str:
    container = xml(zipped, "META-INF/container.xml")
    paths = [r.get("full-path", "") for r in container.iter("{*}rootfile")] if container is not None else []
    paths += [name for name in zipped.names if name.lower().endswith(".opf")]
    return next((path for path in paths if zipped.size(path)), "")


def _locked(zipped: Zipped) -> set[str]:
    """Members that are encrypted, but for fonts."""
    root = xml(zipped, "META-INF/encryption.xml")
    locked: set[str] = set()
    for data in root.iter("{*}EncryptedData") if root is not None else ():
        method = next((m.get("Algorithm", "") for m in data.iter("{*}EncryptionMethod")), "")
        if method not in _FONT_LOCKS:
            locked |= {unquote(r.get("URI", "")).lstrip("/") for r in data.iter("{*}CipherReference")}
    return locked


def _labels(zipped: Zipped, items: dict[str, tuple[Item, str]]) -> dict[str, str]:
    """The first line of the contents that leads to each member: EPUB 3's nav, else EPUB 2's NCX."""
    labels: dict[str, str] = {}
    for item, properties in items.values():
        root = None
        if "nav" in properties.split() or item.kind == "application/x-dtbncx+xml":
            root = xml(zipped, item.name)
        if root is None:
            continue
        folder = posixpath.dirname(item.name)
        for link in root.iter("{*}a"):
            _label(labels, folder, link.get("href", ""), "".join(link.itertext()))
        for point in root.iter("{*}navPoint"):
            source = next((c.get("src", "") for c in point.iterchildren("{*}content")), "")
            _label(labels, folder, source, "".join(t for n in point.iterchildren("{*}navLabel") for t in n.itertext()))
    return labels


def _label(labels: dict[str, str], folder: str, address: str, text: str) -> None:
    if address and (words := " ".join(text.split())):
        labels.setdefault(member(folder, address), words)
