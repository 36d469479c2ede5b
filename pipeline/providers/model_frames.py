"""How the model host and its client talk: a length, a JSON header, and a binary body.

Four bytes, big-endian, give the header's length; the header's ``size`` gives the body's. Both ends are ours and on
one machine, so a malformed frame is a dead peer, not an input to be judged.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

Header = dict[str, Any]
_LENGTH = struct.Struct(">I")
PREFIX_BYTES = _LENGTH.size


def packed(header: Header, body: bytes = b"") -> bytes:
    """One frame as bytes."""
    text = json.dumps(header | {"size": len(body)}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(text)) + text + body


def header_length(prefix: bytes) -> int:
    return int(_LENGTH.unpack(prefix)[0])


def parsed(text: bytes) -> Header:
    header: Header = json.loads(text.decode("utf-8", "surrogatepass"))
    return header


def read(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """The next frame, or None when the other side has closed, in the middle of a frame too."""
    prefix = stream.read(PREFIX_BYTES)
    if len(prefix) < PREFIX_BYTES:
        return None
    text = stream.read(header_length(prefix))
    header = parsed(text) if text else {}
    body = stream.read(header.get("size", 0))
    return (header, body) if len(body) == header.get("size") else None
