"""Files that go into a message: where their bytes come from, and what Telegram makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from eval.simulators.botapi.errors import ApiError, refused
from eval.simulators.botapi.files import StoredFile, photo, sound
from eval.simulators.botapi.params import Params, Upload
from eval.simulators.botapi.simulator import Simulator

Sendable = Literal["voice", "audio", "document", "photo", "video", "video_note"]
_MIME = {"ogg": "audio/ogg", "mp3": "audio/mpeg", "m4a": "audio/mp4"}


def source(api: Simulator, p: Params, kind: Sendable, *, field_name: str = "") -> StoredFile:
    """Return the file of a call: an upload, a part named by ``attach://``, or a file_id.

    Raises:
        ApiError: 413 above the upload limit; 400 for no file, an unknown id, or an address on the web.
    """
    name = field_name or kind
    given = p.text(name)
    part = p.uploads.get(given.removeprefix("attach://") if given.startswith("attach://") else name)
    if part is not None:
        return _uploaded(api, part, kind)
    if not given:
        raise refused(f"there is no {kind} in the request")
    if given.startswith(("http://", "https://")):
        raise refused("failed to get HTTP URL content")  # the simulator has no web; the product always uploads
    return api.files.of(given)


def _uploaded(api: Simulator, part: Upload, kind: Sendable) -> StoredFile:
    if len(part.data) > api.limits.upload_bytes:
        raise ApiError(413, "Request Entity Too Large")
    return api.files.keep(kind, part.data, name=part.name, mime=part.mime)


def shape(kind: Sendable, file: StoredFile) -> Sendable:
    """Return what people will see: a voice or an audio that Telegram cannot play as such is a document."""
    heard = sound(file.data)
    if kind == "voice":
        return "voice" if heard else "document"
    if kind == "audio":
        return "audio" if heard in ("mp3", "m4a") else "document"
    return kind


def extras(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the sender says of the file."""
    said: dict[str, Any] = {name: values[name] for name in ("title", "performer") if values.get(name)}
    said |= {name: int(values[name]) for name in ("duration", "width", "height", "length") if values.get(name)}
    return said


def body(api: Simulator, shape: Sendable, file: StoredFile, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a Message object that holds the file."""
    if shape == "photo":
        return {"photo": photo(api.files, file.data)}
    named = {k: v for k, v in {"file_name": file.name, "mime_type": file.mime}.items() if v}
    if shape == "document":
        return {"document": {**file.size(), **named}}
    heard = sound(file.data)
    lasts = {"duration": said.get("duration", 0)}
    if shape == "voice":
        return {"voice": {**file.size(), **lasts, "mime_type": _MIME.get(heard, file.mime)}}
    if shape == "audio":
        known = {k: said[k] for k in ("title", "performer") if k in said}
        return {"audio": {**file.size(), **lasts, **named, **known, "mime_type": _MIME.get(heard, file.mime)}}
    if shape == "video_note":
        return {"video_note": {**file.size(), **lasts, "length": said.get("length", 240)}}
    frame = {"width": said.get("width", 640), "height": said.get("height", 360)}
    return {"video": {**file.size(), **lasts, **named, **frame}}
