"""Stored files: what the bytes are, whatever they were called, and the links that getFile hands out."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Literal

from PIL import Image, UnidentifiedImageError

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.limits import Limits

Kind = Literal["document", "photo", "voice", "audio", "video", "video_note", "animation", "thumbnail"]
_FOLDERS = {"voice": "voice", "audio": "music", "photo": "photos", "video": "videos", "video_note": "video_notes"}
_THUMBNAIL_PX = 90
_SIDES_PX, _RATIO = 10_000, 20  # of a photo: width + height, and one to the other


@dataclass(frozen=True)
class StoredFile:
    """Bytes with the two ids of a file: the one to ask with, and the one that is the same wherever it is sent."""

    file_id: str
    unique_id: str
    kind: Kind
    data: bytes
    name: str = ""
    mime: str = ""

    def size(self) -> dict[str, Any]:
        return {"file_id": self.file_id, "file_unique_id": self.unique_id, "file_size": len(self.data)}


@dataclass
class Files:
    """All files of the simulator; a link lasts ``Limits.link_age_s`` from the getFile that made it."""

    clock: Clock
    limits: Limits
    kept: dict[str, StoredFile] = field(default_factory=dict)
    _links: dict[str, tuple[str, float]] = field(default_factory=dict)

    def keep(self, kind: Kind, data: bytes, *, name: str = "", mime: str = "") -> StoredFile:
        if not data:
            raise refused("file must be non-empty")
        unique = hashlib.sha256(data).hexdigest()[:16]
        file = StoredFile(f"BQAC{len(self.kept) + 1:08d}{unique}", f"AgAD{unique}", kind, data, name, mime)
        self.kept[file.file_id] = file
        return file

    def of(self, file_id: str) -> StoredFile:
        if (file := self.kept.get(file_id)) is None:
            raise refused("wrong file identifier/HTTP URL specified")
        return file

    def link(self, file_id: str) -> dict[str, Any]:
        """Return the File of getFile.

        Raises:
            ApiError: 400 for an unknown id and for a file above ``Limits.download_bytes``.
        """
        if (file := self.kept.get(file_id)) is None:
            raise refused("wrong file_id or the file is temporarily unavailable")
        if len(file.data) > self.limits.download_bytes:
            raise refused("file is too big")
        ending = "" if self.limits.names_lost else PurePosixPath(file.name).suffix
        path = f"{_FOLDERS.get(file.kind, 'documents')}/file_{list(self.kept).index(file_id)}{ending}"
        self._links[path] = file_id, self.clock.now() + self.limits.link_age_s
        return {**file.size(), "file_path": path}

    def download(self, path: str) -> StoredFile | None:
        """Return what a link leads to, while it lasts."""
        file_id, until = self._links.get(path, ("", 0.0))
        return self.kept.get(file_id) if self.clock.now() < until else None


def sound(data: bytes) -> Literal["ogg", "mp3", "m4a", ""]:
    """Return what Telegram plays the bytes as; "" is nothing it plays."""
    if data[:4] == b"OggS" and b"OpusHead" in data[:128]:
        return "ogg"
    if data[:3] == b"ID3" or (len(data) > 1 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2):
        return "mp3"
    return "m4a" if data[4:8] == b"ftyp" and data[8:11] in (b"M4A", b"mp4", b"iso") else ""


def photo(files: Files, data: bytes) -> list[dict[str, Any]]:
    """Keep a picture in two sizes, the smaller first.

    Raises:
        ApiError: 400 for what is too big, no picture, or too long for its width.
    """
    if len(data) > (most := files.limits.photo_bytes):
        raise refused(f"file of size {len(data)} bytes is too big for a photo; the maximum size is {most} bytes")
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = image.size
            small = image.convert("RGB")
            small.thumbnail((_THUMBNAIL_PX, _THUMBNAIL_PX))
    except (UnidentifiedImageError, OSError, ValueError):
        raise refused("IMAGE_PROCESS_FAILED") from None
    if width + height > _SIDES_PX or max(width, height) > _RATIO * min(width, height):
        raise refused("PHOTO_INVALID_DIMENSIONS")
    out = io.BytesIO()
    small.save(out, "JPEG")
    sizes = [(files.keep("photo", out.getvalue(), name="a.jpg"), small.size)]
    sizes.append((files.keep("photo", data, name="a.jpg"), (width, height)))
    return [{**f.size(), "width": w, "height": h} for f, (w, h) in sizes]
