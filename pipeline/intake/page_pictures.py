"""Pictures of an article as evidence assets: the lazy ones too, trackers and icons not (pitfalls W1, W2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from pipeline.domain.source import Asset

# Where scripts find the address of a picture that they load later; ``src`` holds a placeholder meanwhile.
LAZY = (
    "data-src",
    "data-original",
    "data-actualsrc",
    "data-lazy-src",
    "data-original-src",
    "data-lazyload",
    "data-croporisrc",
    "data-backsrc",
)
MAX_ASSETS = 20
MAX_DATA_BYTES = 5 * 1024 * 1024  # of all pictures that came along, as base64
_PLACEHOLDER = 200  # characters: a shorter data: address is a placeholder
_SMALL_PX = 40
_DATA = re.compile(r"data:(image/(?:png|jpe?g|gif|webp|bmp|avif));base64,([A-Za-z0-9+/=\s%]+)\Z", re.IGNORECASE)
_FURNITURE = re.compile(
    r"(?:^|[\s/_.-])(?:icon|emoji|avatar|logo|spacer|pixel|tracker|tracking|sprite|blank|loading|placeholder|qrcode"
    r"|smiley|emoticon)s?(?:[\s/_.-]|\d|$)",
    re.IGNORECASE,
)
_SIZE = re.compile(r"\s*(\d{1,6})(?:px)?\s*$")
_STYLE_SIZE = re.compile(r"(?:^|;)\s*(?:width|height)\s*:\s*([0-3]?\d(?:\.\d+)?)px")
_MAX_ALT, _MAX_ADDRESS = 500, 2_000


def base_address(tree: Any, address: str | None) -> str:
    """Return what relative addresses of the page are relative to; "" when nothing says."""
    given = next(iter(tree.xpath("//base/@href")), "").strip()
    found = _joined(address or "", given) if given else address or ""
    return found if urlsplit(found).scheme in ("http", "https") else address or ""


@dataclass
class Pictures:
    """Gathers assets within the limits. ``along``: address → (media type, base64) of a picture that came with it."""

    base: str = ""
    along: Callable[[str], tuple[str, str] | None] = field(default=lambda address: None)
    assets: list[Asset] = field(default_factory=list)
    _room: int = MAX_DATA_BYTES
    _seen: set[str] = field(default_factory=set)

    def add(self, image: Any, at: int) -> None:
        """Add an ``<img>``, unless it is furniture, known already, or one too many."""
        if len(self.assets) >= MAX_ASSETS or _is_furniture(image):
            return
        alt = " ".join((image.get("alt") or "").split())[:_MAX_ALT]
        for address in _addresses(image):
            came = self.along(address) or self.along(_joined(self.base, address)) or _data(address)
            if came:
                self._add_data(*came, alt=alt, at=at)
                return
            if (absolute := _absolute(self.base, address)) and absolute not in self._seen:
                self._seen.add(absolute)
                self.assets.append(Asset(at, address=absolute, alt=alt))
                return
            if absolute:
                return

    def add_address(self, address: str, at: int) -> None:
        """Add a picture that is known by its address alone."""
        absolute = _absolute(self.base, address)
        if absolute and absolute not in self._seen and len(self.assets) < MAX_ASSETS:
            self._seen.add(absolute)
            self.assets.append(Asset(at, address=absolute))

    def _add_data(self, media_type: str, data: str, *, alt: str, at: int) -> None:
        if len(data) <= self._room:
            self._room -= len(data)
            self.assets.append(Asset(at, alt=alt, media_type=media_type, data=data))


def _is_furniture(image: Any) -> bool:
    sizes = [int(m.group(1)) for name in ("width", "height") if (m := _SIZE.match(image.get(name) or ""))]
    sizes += [int(float(size)) for size in _STYLE_SIZE.findall(image.get("style") or "")]
    if sizes and min(sizes) < _SMALL_PX:
        return True
    named = " ".join((image.get("class") or "", image.get("id") or "", (image.get("src") or "")[:_MAX_ADDRESS]))
    return bool(_FURNITURE.search(named))


def _addresses(image: Any) -> Iterable[str]:
    """Candidates in the order of trust: lazy attributes, then ``src``, then the largest of ``srcset``."""
    for name in (*LAZY, "src"):
        if (value := (image.get(name) or "").strip()) and not _is_placeholder(value):
            yield value
    for name in ("data-srcset", "srcset"):
        if value := image.get(name):
            parts = [part.split() for part in value[:20_000].split(", ")]
            yield from sorted((p[0] for p in parts if p), key=lambda a: -_width(parts, a))[:1]


def _width(parts: list[list[str]], address: str) -> float:
    told = next((p[1] for p in parts if len(p) > 1 and p[0] == address), "1x")
    return float(told[:-1]) if re.fullmatch(r"\d{1,5}(?:\.\d{1,3})?[wx]", told) else 0.0


def _is_placeholder(address: str) -> bool:
    return address.startswith("data:") and (len(address) < _PLACEHOLDER or address.startswith("data:image/svg"))


def _data(address: str) -> tuple[str, str] | None:
    match = _DATA.match(address) if address.startswith("data:") and len(address) < 2 * MAX_DATA_BYTES else None
    return (match.group(1).lower(), re.sub(r"\s|%[0-9A-Fa-f]{2}", "", match.group(2))) if match else None


def _absolute(base: str, address: str) -> str:
    """The absolute http(s) address, "" for anything else: no file, no script, no relative address without a page."""
    found = _joined(base, address.split("#", 1)[0])
    whole = urlsplit(found) if len(found) <= _MAX_ADDRESS else None
    return found if whole and whole.scheme in ("http", "https") and whole.netloc else ""


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:  # brackets that are no IPv6 address
        return ""
