"""One posted message, read as it arrives: limits hold while streaming, at most one file is in memory (rule SRC-6)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from bot.web.deps import WebLimits
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import SourceLimits
from pipeline.intake.route import is_picture
from pipeline.ports.blobs import BlobStore

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks  # exists for type checkers only

_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1024  # readers accept the mark anywhere in the first kilobyte
_ZIP_MARK = b"PK\x03\x04"
_FIELDS, _FIELD_BYTES_PER_CHAR = 40, 4


@dataclass(frozen=True)
class Attachment:
    """A stored file, or a long pasted text (``paste``, no name)."""

    name: str
    size: int
    paste: bool
    blob_key: str
    sha256: str


@dataclass
class Received:
    fields: dict[str, str] = field(default_factory=dict)
    attachments: list[Attachment] = field(default_factory=list)


@dataclass
class _Part:
    name: str
    file_name: str | None
    data: bytearray = field(default_factory=bytearray)


class Upload:
    """Reads one ``multipart/form-data`` body.

    A refused body is still read to its end, without being kept, so that the browser hears the sentence instead of a
    broken connection; only a body beyond twice the limit is cut off.
    """

    def __init__(self, *, blobs: BlobStore, owner_id: int, limits: WebLimits, sources: SourceLimits) -> None:
        self._blobs, self._owner, self._limits, self._sources = blobs, owner_id, limits, sources
        self._refusal: InputRejected | None = None
        self._part = _Part("", None)
        self._header, self._value = bytearray(), bytearray()
        self._disposition = b""
        self._finished: list[_Part] = []
        self._parts = self._files = 0
        self._complete = False

    async def read(self, content_type: str, stream: AsyncIterator[bytes]) -> Received:
        """Return the fields and the stored attachments.

        Raises:
            InputRejected: ``upload_too_large``, ``message_too_large``, ``too_many_files`` or ``malformed``.
        """
        received, total = Received(), 0
        parser = self._parser(content_type)
        async for chunk in stream:
            total += len(chunk)
            if total > self._limits.max_message_bytes:
                self._refuse("message_too_large", limit_mb=self._limits.max_message_bytes >> 20)
            if total > 2 * self._limits.max_message_bytes:
                break
            if self._refusal is None:
                self._feed(parser, chunk)
                await self._drain(received)
        if self._refusal is None and not self._complete:
            self._refuse("malformed")
        if self._refusal is not None:
            raise self._refusal
        return received

    def _parser(self, content_type: str) -> MultipartParser:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise InputRejected("malformed")
        callbacks: MultipartCallbacks = {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self._header_end,
            "on_headers_finished": self._opened,
            "on_part_data": self._data,
            "on_part_end": lambda: self._finished.append(self._part),
            "on_end": self._end,
        }
        try:
            return MultipartParser(options[b"boundary"], callbacks)
        except FormParserError:  # a boundary longer than any browser's
            raise InputRejected("malformed") from None

    def _feed(self, parser: MultipartParser, chunk: bytes) -> None:
        try:
            parser.write(chunk)
        except FormParserError:
            self._refuse("malformed")

    def _begin(self) -> None:
        self._part, self._disposition = _Part("", None), b""
        self._parts += 1
        if self._parts > _FIELDS:
            self._refuse("malformed")

    def _header_end(self) -> None:
        if bytes(self._header).lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _opened(self) -> None:
        _, options = parse_options_header(self._disposition)
        name, file_name = options.get(b"name", b""), options.get(b"filename")
        self._part = _Part(_decoded(name), None if file_name is None else _plain_name(_decoded(file_name)))
        if self._part.file_name or self._part.name == "pasted":
            self._files += 1
            if self._files > self._limits.max_files:
                self._refuse("too_many_files", limit=self._limits.max_files)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._refusal is not None:
            return
        part = self._part
        part.data += memoryview(data)[start:end]
        if len(part.data) > (limit := self._limit(part)):
            part.data.clear()
            values: dict[str, str | int] = {"name": part.file_name} if part.file_name else {}
            self._refuse("upload_too_large" if values else "text_too_large", **values, limit_mb=limit >> 20)

    def _limit(self, part: _Part) -> int:
        if part.file_name is None and part.name != "pasted":
            return self._limits.max_text_chars * _FIELD_BYTES_PER_CHAR
        head = bytes(part.data[:_PDF_MARK_WITHIN])
        if _PDF_MARK in head or head.startswith(_ZIP_MARK):  # PDF, EPUB, DOCX
            return self._sources.max_pdf_bytes
        return self._sources.max_image_bytes if is_picture(head) else self._sources.max_text_bytes

    def _end(self) -> None:
        self._complete = True

    def _refuse(self, reason: str, **values: str | int) -> None:
        """The first refusal is the one that is told; what was buffered goes."""
        if self._refusal is None:
            self._refusal = InputRejected(reason)
            self._refusal.values.update(values)
        self._finished.clear()
        self._part = _Part("", None)

    async def _drain(self, received: Received) -> None:
        """Put finished parts away before the next chunk is read."""
        finished, self._finished = self._finished, []
        if self._refusal is not None:
            return
        for part in finished:
            if part.file_name is None and part.name != "pasted":
                received.fields[part.name] = _lines(bytes(part.data))
            elif part.file_name or part.name == "pasted":
                received.attachments.append(await self._store(part))
            part.data = bytearray()

    async def _store(self, part: _Part) -> Attachment:
        paste = part.name == "pasted"
        data = _lines(bytes(part.data)).encode() if paste else bytes(part.data)
        blob = await self._blobs.put(data, owner_id=self._owner)
        return Attachment("" if paste else part.file_name or "", len(data), paste, blob.key, blob.sha256)


def as_update(received: Received) -> dict[str, Any]:
    """The payload that is stored for the handlers."""
    files = [
        {"name": a.name, "size": a.size, "paste": a.paste, "blob_key": a.blob_key, "sha256": a.sha256}
        for a in received.attachments
    ]
    return {"type": "message", "text": received.fields.get("text", "").strip(), "files": files}


def as_said(received: Received, key: str) -> dict[str, Any]:
    """What the person's own message shows; ``key`` lets the page that sent it find its own copy."""
    files = [{"name": a.name, "size": a.size, "paste": a.paste} for a in received.attachments]
    return {"text": received.fields.get("text", "").strip(), "files": files, "key": key}


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")


def _lines(value: bytes) -> str:
    """Browsers send CRLF in fields, whatever was typed."""
    return _decoded(value).replace("\r\n", "\n").replace("\x00", "")


def _plain_name(name: str) -> str:
    """The last part of a path, without control characters, at most 200 characters; its ending is kept."""
    bare = "".join(c for c in name.replace("\\", "/").rpartition("/")[2] if c.isprintable()).strip()
    return bare if len(bare) <= 200 else bare[:180] + "…" + bare[-19:]
