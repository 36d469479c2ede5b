"""How a recogniser and its child talk: the frames of parse_frames.

Request: one frame ``{"kind", "pages", "threads", "limits", "size"}``, then ``size`` bytes. Answers: ``{"ready":
engine}`` once the models are loaded, then ``{"page": ...}`` for each page as it is done, then ``{"done": true}``; or
``{"refused": reason, "what", "values"}`` instead of any of them.
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, OcrLine, OcrPage, SourceLimits
from pipeline.providers.parse_frames import frame


def request(data: bytes, *, kind: InputType, pages: tuple[int, ...], threads: int, limits: SourceLimits) -> bytes:
    """Return everything that is written to the child."""
    return frame({"kind": kind, "pages": pages, "threads": threads, "limits": limits, "size": len(data)}) + data


def ready(engine: str) -> bytes:
    return frame({"ready": engine})


def page(found: OcrPage) -> bytes:
    return frame({"page": found})


def done() -> bytes:
    return frame({"done": True})


def read_answer(payload: bytes) -> OcrPage | bool:
    """Return a page, False while the child is getting ready, or True when it has said all.

    Raises:
        InputRejected: the child refused the input.
        ValueError: the payload is no answer.
    """
    message = json.loads(payload)
    if not isinstance(message, dict):
        raise ValueError("not an answer")
    if "refused" in message:
        raise InputRejected(message["refused"], message["what"], **message["values"])
    if "page" in message:
        return _page(message["page"])
    if not message.keys() & {"ready", "done"}:
        raise ValueError("not an answer")
    return "done" in message


def _page(fields: dict[str, Any]) -> OcrPage:
    try:
        lines = tuple(OcrLine(**{**line, "box": tuple(line["box"])}) for line in fields["lines"])
        return OcrPage(**{**fields, "lines": lines})
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a page: {error}") from error
