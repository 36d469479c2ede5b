"""Content encodings undone piece by piece under one limit: a bomb is noticed at the limit (rule SRC-6)."""

from __future__ import annotations

import zlib

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason

_MIB = 1024 * 1024
_MAX_LAYERS = 3
_GZIP = b"\x1f\x8b"
KNOWN = ("gzip", "deflate")


def too_large(limit: int) -> InputRejected:
    return InputRejected(Reason.FETCH_TOO_LARGE, limit_mb=max(1, limit // _MIB))


class Unpacker:
    """Undoes a ``Content-Encoding`` header; no layer may give more than ``limit`` bytes."""

    def __init__(self, header: str, limit: int) -> None:
        """Raises ValueError: an encoding that was never offered, or too many."""
        names = [n.strip().lower().removeprefix("x-") for n in header.split(",")]
        names = [n for n in names if n and n != "identity"]
        if len(names) > _MAX_LAYERS or any(n not in KNOWN for n in names):
            raise ValueError(f"content encoding {header[:60]!r}")
        self._layers = [_Layer(n, limit) for n in reversed(names)]
        self._left = self._limit = limit

    def feed(self, data: bytes) -> bytes:
        """Return what ``data`` adds.

        Raises:
            InputRejected: FETCH_TOO_LARGE.
            ValueError: not what the header says.
        """
        for layer in self._layers:
            data = layer.feed(data)
        self._left -= len(data)
        if self._left < 0:
            raise too_large(self._limit)
        return data

    def finish(self) -> None:
        """Raises ValueError if the end is missing."""
        for layer in self._layers:
            layer.finish()


class _Layer:
    """One gzip (of any number of members) or deflate (with or without its header) stream."""

    def __init__(self, name: str, limit: int) -> None:
        self._name, self._limit = name, limit
        self._engine: zlib._Decompress | None = None
        self._pending = b""  # not yet enough to tell how it begins
        self._made = 0
        self._over = False  # what follows the last member is padding

    def feed(self, data: bytes) -> bytes:
        out: list[bytes] = []
        data, self._pending = self._pending + data, b""
        while data and not self._over:
            if self._engine is None and not self._begin(data):
                break
            data = self._step(data, out)
        return b"".join(out)

    def finish(self) -> None:
        if self._engine is not None or (self._pending and not self._made):
            raise ValueError("the end is missing")

    def _begin(self, data: bytes) -> bool:
        """Choose how to read what starts here; False while that cannot be told, or need not."""
        if len(data) < 2:
            self._pending = data
            return False
        if self._name == "gzip":
            if not data.startswith(_GZIP):
                if not self._made:
                    raise ValueError("no gzip")
                self._over = True
                return False
            self._engine = zlib.decompressobj(31)
        else:
            # RFC 9110 means zlib by "deflate"; some servers send the bare stream, and browsers read both.
            with_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._engine = zlib.decompressobj(15 if with_header else -15)
        return True

    def _step(self, data: bytes, out: list[bytes]) -> bytes:
        """Take ``data`` into the engine; what is left of it belongs to the next member."""
        if self._engine is None:
            return data
        try:
            piece = self._engine.decompress(data, self._limit - self._made + 1)
        except zlib.error as error:
            raise ValueError(str(error)) from error
        self._made += len(piece)
        if self._made > self._limit:
            raise too_large(self._limit)
        out.append(piece)
        if not self._engine.eof:
            return b""
        rest = self._engine.unused_data
        self._engine = None
        self._over = self._name == "deflate"
        return rest
