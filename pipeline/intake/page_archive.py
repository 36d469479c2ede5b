"""A page saved as one file with its pictures (MHTML, "web archive") → its HTML and what came along."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import Message

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason

# Three small searches instead of one pattern over whole header lines: that one had two ways past every CRLF, and a
# text of thirty lines "name: value" held the process for hours (measured; it runs on the loop that keeps the leases).
_HEADER = re.compile(rb"[\w-]+:")
_MIME = re.compile(rb"^mime-version:", re.IGNORECASE | re.MULTILINE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_HEAD = 4_096
_MAX_PARTS = 2_000
_MAX_ALONG_BYTES = 20 * 1024 * 1024  # of pictures, before the asset limits


@dataclass(frozen=True)
class Opened:
    """``along``: address → (media type, base64) of the pictures in the archive."""

    data: bytes
    charset: str | None
    address: str | None
    along: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def is_archive(head: bytes) -> bool:
    """Whether bytes begin as MHTML does: mail headers that announce parts which belong together."""
    if not _HEADER.match(head):
        return False
    headers = _BLANK_LINE.split(head, maxsplit=1)[0]
    return bool(_MIME.search(headers)) and b"multipart/related" in headers.lower()


def opened(data: bytes, *, charset: str | None, address: str | None) -> Opened:
    """Return the page of an archive, or ``data`` itself when it is none.

    Raises:
        InputRejected: BROKEN, when an archive holds no page.
    """
    if not is_archive(data[:_HEAD]):
        return Opened(data, charset, address)
    message = message_from_bytes(data, policy=policy.compat32)
    page: Opened | None = None
    along: dict[str, tuple[str, str]] = {}
    room = _MAX_ALONG_BYTES
    for number, part in enumerate(message.walk()):
        if number > _MAX_PARTS:
            break
        kind = part.get_content_type()
        if page is None and kind in ("text/html", "application/xhtml+xml"):
            page = Opened(_bytes(part), part.get_content_charset() or charset, _address(part) or address)
        elif kind.startswith("image/") and (content := _bytes(part)) and len(content) <= room:
            room -= len(content)
            along |= dict.fromkeys(_names(part), (kind, base64.b64encode(content).decode("ascii")))
    if page is None:
        raise InputRejected(Reason.BROKEN, "an archive without a page")
    return Opened(page.data, page.charset, page.address, along)


def _bytes(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _address(part: Message) -> str | None:
    address = str(part.get("Content-Location", "")).strip()
    return address if address.startswith(("http://", "https://")) else None


def _names(part: Message) -> list[str]:
    location = str(part.get("Content-Location", "")).strip()
    content_id = str(part.get("Content-ID", "")).strip().strip("<>")
    return [name for name in (location, f"cid:{content_id}" if content_id else "") if name]
