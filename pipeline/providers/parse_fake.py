"""A parser for tests and demos: no child, plain text only, every call counted, failures on request."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import Block, BlockKind, Extraction, InputType, Quality, ReadHints, Reason
from pipeline.domain.text import canonicalise

_DIES = b"!die:"  # followed by timeout, memory or crash
_REFUSES = b"!refuse:"  # followed by a Reason
_LOCKED = b"!locked:"  # followed by the password and a line end; what comes after it is the text
_PICTURES = b"!pictures:"  # followed by how many pages of pictures: read by OCR only


@dataclass
class FakeParser:
    """Reads UTF-8; every non-empty line is a paragraph. It never deduplicates: two calls are two entries."""

    calls: list[tuple[str, InputType, int]] = field(default_factory=list)
    unlocked: int = 0  # calls of unlock; what was typed is kept nowhere

    async def parse(self, data: bytes, *, name: str, kind: InputType, hints: ReadHints | None = None) -> Extraction:
        """Read ``data``; bytes that start with ``!die:timeout`` or ``!refuse:encrypted`` do that instead.

        ``!locked:PASSWORD`` and a line end stand before a text that ``unlock`` opens. ``!pictures:3`` is three pages
        without text: they come back as ``unread``, and with their OCR as ``recognised``.
        """
        self.calls.append((name, kind, len(data)))
        if data.startswith(_DIES):
            raise ChildDied("parse_fake", data[len(_DIES) :].decode(), "asked to die")
        if data.startswith(_REFUSES):
            raise InputRejected(Reason(data[len(_REFUSES) :].decode()))
        if data.startswith(_LOCKED):
            raise InputRejected(Reason.ENCRYPTED)
        if not data.strip():
            raise InputRejected(Reason.EMPTY_FILE)
        if data.startswith(_PICTURES):
            return _pictured(name, int(data[len(_PICTURES) :]), hints or ReadHints())
        return _read(name, data.decode("utf-8", "replace"))

    async def unlock(self, data: bytes, *, password: str) -> bytes:
        """Return what follows the first line when that line is ``!locked:`` and ``password``."""
        self.unlocked += 1
        if data.startswith(_DIES):
            raise ChildDied("parse_fake", data[len(_DIES) :].decode(), "asked to die")
        if not data.startswith(_LOCKED):
            raise InputRejected(Reason.BROKEN)
        wanted, _, rest = data[len(_LOCKED) :].partition(b"\n")
        if wanted != password.encode("utf-8", "replace"):
            raise InputRejected(Reason.WRONG_PASSWORD)
        return rest


def _read(name: str, raw: str) -> Extraction:
    text, offsets = canonicalise(raw)
    blocks, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            blocks.append(Block(BlockKind.PARAGRAPH, at, at + len(line)))
        at += len(line) + 1
    return Extraction(
        title=name.rsplit(".", 1)[0],
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=tuple(blocks),
        quality=Quality.FULL,
        extractor="fake 1",
        codec="utf-8",
    )


def _pictured(name: str, pages: int, hints: ReadHints) -> Extraction:
    seen = {page.page: page for page in hints.recognised if page.page <= pages}
    found = _read(name, "\n".join(line.text for number in sorted(seen) for line in seen[number].lines))
    missing = pages - len(seen)
    if not seen:
        return replace(found, quality=Quality.EMPTY, pages=pages, unread=tuple(range(1, pages + 1)))
    if not found.text:
        raise InputRejected(Reason.NO_TEXT)
    return replace(
        found,
        quality=Quality.PARTIAL if missing else Quality.FULL,
        pages=pages,
        recognised=tuple(sorted(seen)),
        notes=(f"pages_recognised:{len(seen)}", *([f"pages_not_recognised:{missing}"] if missing else [])),
    )
