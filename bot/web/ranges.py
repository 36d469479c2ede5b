"""Byte ranges of a media file (RFC 9110, section 14): one range is served, anything else is the whole file.

Pure. Rule PUB-4: HEAD, Range, 206, 416 and If-Range agree because one function decides the size of the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime

_ONE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))")


@dataclass(frozen=True)
class Piece:
    """Half-open. ``whole`` when no range applies."""

    start: int
    end: int
    whole: bool = False


class Unsatisfiable(Exception):
    """The range lies outside the file: 416."""


def piece(header: str | None, size: int) -> Piece:
    """What to send for the Range ``header`` of a file of ``size`` bytes.

    Several ranges, other units and what does not parse are ignored, as the RFC allows.

    Raises:
        Unsatisfiable: a valid range that selects no byte.
    """
    match = _ONE.fullmatch(header.replace(" ", "")) if header else None
    if match is None:
        return Piece(0, size, whole=True)
    first, last, suffix = match.groups()
    if suffix is not None:
        if int(suffix) == 0 or size == 0:
            raise Unsatisfiable
        return Piece(max(0, size - int(suffix)), size)
    start = int(first)
    if last and int(last) < start:
        return Piece(0, size, whole=True)  # invalid, therefore ignored
    if start >= size:
        raise Unsatisfiable
    return Piece(start, min(size, int(last) + 1) if last else size)


def applies(if_range: str | None, *, etag: str, modified: datetime) -> bool:
    """True when the copy that the client continues is this one. A weak tag never matches."""
    if if_range is None:
        return True
    if if_range.startswith(('"', "W/")):
        return if_range == etag
    return if_range == http_date(modified)


def fresh(if_none_match: str | None, *, etag: str) -> bool:
    """True when the client's copy is the one we have: 304."""
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or etag in tags


def http_date(moment: datetime) -> str:
    return format_datetime(moment.replace(microsecond=0), usegmt=True)
