"""How a parser and its child talk: length-prefixed frames, JSON in them, the foreign bytes as they are.

Request: one frame ``{"kind", "name", "limits", "hints", "size"}``, then ``size`` bytes. Reply: one frame, either
``{"extraction": ...}`` or ``{"refused": reason, "what": ..., "values": ...}``. A frame is four bytes of length,
big-endian, and that many bytes of UTF-8 JSON.

To unlock: one frame ``{"op": "unlock", "password", "limits", "size"}`` and the bytes; the reply is ``{"unlocked":
base64}`` or a refusal.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import (
    Asset,
    Attachment,
    Block,
    BlockKind,
    Box,
    Cue,
    Extraction,
    InputType,
    OcrLine,
    OcrPage,
    OffsetMap,
    Quality,
    ReadHints,
    Removed,
    SourceLimits,
)

MEMORY_EXIT = 71  # the child ran out of its memory limit and still could say so
MAX_REPLY_BYTES = 512 * 1024 * 1024
PREFIX_BYTES = 4


def frame(message: dict[str, Any]) -> bytes:
    payload = json.dumps(message, ensure_ascii=False, default=vars).encode("utf-8")
    return struct.pack(">I", len(payload)) + payload


def frame_size(prefix: bytes) -> int:
    """Return the length that four bytes announce."""
    size: int = struct.unpack(">I", prefix)[0]
    return size


def request(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints | None = None) -> bytes:
    """Return everything that is written to the child."""
    # A file name may hold lone surrogates (bytes that were no UTF-8); JSON may not.
    name = name.encode("utf-8", "replace").decode("utf-8")
    header = {"kind": kind, "name": name, "limits": limits, "hints": hints or ReadHints(), "size": len(data)}
    return frame(header) + data


def unlock_request(data: bytes, *, password: str, limits: SourceLimits) -> bytes:
    """Return everything that is written to a child that shall take the password off a PDF."""
    # What a person typed may hold lone surrogates; no PDF has such a password, and JSON may not carry them.
    password = password.encode("utf-8", "replace").decode("utf-8")
    return frame({"op": "unlock", "password": password, "limits": limits, "size": len(data)}) + data


def read_hints(fields: dict[str, Any]) -> ReadHints:
    """Return the hints that a request's header carries."""
    pages = tuple(
        OcrPage(**{**page, "lines": tuple(OcrLine(**{**ln, "box": tuple(ln["box"])}) for ln in page["lines"])})
        for page in fields["recognised"]
    )
    return ReadHints(**{**fields, "recognised": pages})


def reply(extraction: Extraction) -> bytes:
    """Return the frame of a reading. Blocks and runs go as they are: a long PDF has tens of thousands of them."""
    return frame({"extraction": extraction})


def unlocked(data: bytes) -> bytes:
    return frame({"unlocked": base64.b64encode(data).decode("ascii")})


def read_unlocked(payload: bytes) -> bytes:
    """Return the PDF that a child unlocked.

    Raises:
        InputRejected: the child refused the input or the password.
        ValueError: the payload is not a reply; says nothing of what is in it.
    """
    message = _message(payload)
    if not isinstance(message.get("unlocked"), str):
        raise ValueError("not a reply")
    return base64.b64decode(message["unlocked"], validate=True)


def refusal(error: InputRejected) -> bytes:
    return frame({"refused": error.reason, "what": str(error), "values": error.values})


def read_reply(payload: bytes) -> Extraction:
    """Return what the child read.

    Raises:
        InputRejected: the child refused the input.
        ValueError: the payload is not a reply.
    """
    message = _message(payload)
    try:
        return _extraction(message["extraction"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a reply: {error}") from error


def _message(payload: bytes) -> dict[str, Any]:
    message = json.loads(payload)
    if not isinstance(message, dict):
        raise ValueError("not a reply")
    if "refused" in message:
        raise InputRejected(message["refused"], message["what"], **message["values"])
    return message


_PARTS: dict[str, type] = {
    "boxes": Box,
    "cues": Cue,
    "assets": Asset,
    "attachments": Attachment,
    "removed": Removed,
}
_LISTS = ("page_starts", "page_labels", "unread", "recognised", "notes")


def _extraction(fields: dict[str, Any]) -> Extraction:
    whole = {**fields, **{key: tuple(fields[key]) for key in _LISTS}}
    for key, part in _PARTS.items():
        whole[key] = tuple(part(**item) for item in fields[key])
    whole["blocks"] = tuple(Block(**{**block, "kind": BlockKind(block["kind"])}) for block in fields["blocks"])
    whole["offsets"] = OffsetMap(tuple((a, b, c, d) for a, b, c, d in fields["offsets"]["runs"]))
    whole["quality"] = Quality(fields["quality"])
    return Extraction(**whole)
