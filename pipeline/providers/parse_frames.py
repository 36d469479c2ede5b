"""How a parser and its child talk: length-prefixed frames, JSON in them, the foreign bytes as they are.

Request: one frame ``{"kind", "name", "limits", "size"}``, then ``size`` bytes. Reply: one frame, either
``{"extraction": ...}`` or ``{"refused": reason, "what": ..., "values": ...}``. A frame is four bytes of length,
big-endian, and that many bytes of UTF-8 JSON.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Block, BlockKind, Extraction, InputType, OffsetMap, Quality, SourceLimits

MEMORY_EXIT = 71  # the child ran out of its memory limit and still could say so
MAX_REPLY_BYTES = 512 * 1024 * 1024
PREFIX_BYTES = 4


def frame(message: dict[str, Any]) -> bytes:
    payload = json.dumps(message, ensure_ascii=False).encode("utf-8")
    return struct.pack(">I", len(payload)) + payload


def frame_size(prefix: bytes) -> int:
    """Return the length that four bytes announce."""
    size: int = struct.unpack(">I", prefix)[0]
    return size


def request(data: bytes, *, name: str, kind: InputType, limits: SourceLimits) -> bytes:
    """Return everything that is written to the child."""
    # A file name may hold lone surrogates (bytes that were no UTF-8); JSON may not.
    name = name.encode("utf-8", "replace").decode("utf-8")
    return frame({"kind": kind, "name": name, "limits": asdict(limits), "size": len(data)}) + data


def reply(extraction: Extraction) -> bytes:
    """Return the frame of a reading. Blocks and runs go as they are: a long PDF has tens of thousands of them."""
    blocks = [vars(block) for block in extraction.blocks]
    return frame({"extraction": {**vars(extraction), "blocks": blocks, "offsets": {"runs": extraction.offsets.runs}}})


def refusal(error: InputRejected) -> bytes:
    return frame({"refused": error.reason, "what": str(error), "values": error.values})


def read_reply(payload: bytes) -> Extraction:
    """Return what the child read.

    Raises:
        InputRejected: the child refused the input.
        ValueError: the payload is not a reply.
    """
    message = json.loads(payload)
    if "refused" in message:
        raise InputRejected(message["refused"], message["what"], **message["values"])
    try:
        return _extraction(message["extraction"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a reply: {error}") from error


def _extraction(fields: dict[str, Any]) -> Extraction:
    tuples = {key: tuple(fields[key]) for key in ("page_starts", "removed", "notes")}
    blocks = tuple(Block(**{**block, "kind": BlockKind(block["kind"])}) for block in fields["blocks"])
    runs = tuple((a, b, c, d) for a, b, c, d in fields["offsets"]["runs"])
    whole = {**fields, **tuples, "blocks": blocks, "offsets": OffsetMap(runs), "quality": Quality(fields["quality"])}
    return Extraction(**whole)
