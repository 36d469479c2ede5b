"""A parser for tests and demos: no child, plain text only, every call counted, failures on request."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import Block, BlockKind, Extraction, InputType, Quality, ReadHints, Reason
from pipeline.domain.text import canonicalise

_DIES = b"!die:"  # followed by timeout, memory or crash
_REFUSES = b"!refuse:"  # followed by a Reason


@dataclass
class FakeParser:
    """Reads UTF-8; every non-empty line is a paragraph. It never deduplicates: two calls are two entries."""

    calls: list[tuple[str, InputType, int]] = field(default_factory=list)

    async def parse(self, data: bytes, *, name: str, kind: InputType, hints: ReadHints | None = None) -> Extraction:
        """Read ``data``; bytes that start with ``!die:timeout`` or ``!refuse:encrypted`` do that instead."""
        self.calls.append((name, kind, len(data)))
        if data.startswith(_DIES):
            raise ChildDied("parse_fake", data[len(_DIES) :].decode(), "asked to die")
        if data.startswith(_REFUSES):
            raise InputRejected(Reason(data[len(_REFUSES) :].decode()))
        if not data.strip():
            raise InputRejected(Reason.EMPTY_FILE)
        raw = data.decode("utf-8", "replace")
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
