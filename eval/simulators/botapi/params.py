"""The parameters of a call, however they came: query string, form, multipart or JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.web_request import FileField

from eval.simulators.botapi.errors import ApiError, refused


@dataclass(frozen=True)
class Upload:
    name: str
    data: bytes
    mime: str


@dataclass
class Params:
    """Values by name; ``uploads`` are the file parts of a multipart body, by the name of their field."""

    values: dict[str, Any]
    uploads: dict[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return "" if value is None else str(value)

    def integer(self, name: str, default: int = 0) -> int:
        try:
            return int(self.values.get(name) or default)
        except (TypeError, ValueError):
            raise refused(f"parameter {name!r} must be an integer") from None

    def flag(self, name: str) -> bool:
        return str(self.values.get(name, "")).lower() in ("true", "1", "yes")

    def has(self, name: str) -> bool:
        return self.values.get(name) not in (None, "") or name in self.uploads

    def parsed(self, name: str) -> Any:
        """Return an object or array, given as JSON or as its text; None where there is none."""
        value = self.values.get(name)
        if value in (None, ""):
            return None
        try:
            return json.loads(value) if isinstance(value, str) else value
        except ValueError:
            raise refused(f"can't parse {name}: JSON expected") from None

    def chat_id(self) -> int:
        if not self.has("chat_id"):
            raise refused("chat_id is empty")
        try:
            return int(self.values["chat_id"])
        except (TypeError, ValueError):
            raise refused("chat not found") from None


async def read(request: web.Request) -> Params:
    """Read a call.

    Raises:
        ApiError: 413 for a body above the server's limit, 400 for JSON that is none.
    """
    values: dict[str, Any] = dict(request.query)
    uploads: dict[str, Upload] = {}
    try:
        if request.content_type == "application/json":
            body = await request.json() if request.can_read_body else {}
            values.update(body if isinstance(body, dict) else {})
        elif request.can_read_body:
            for name, value in (await request.post()).items():
                if isinstance(value, FileField):
                    uploads[name] = Upload(value.filename, value.file.read(), value.content_type)
                    value.file.close()
                else:
                    values[name] = value.decode() if isinstance(value, bytes | bytearray) else value
    except web.HTTPRequestEntityTooLarge:
        raise ApiError(413, "Request Entity Too Large") from None
    except ValueError:
        raise refused("can't parse JSON object") from None
    return Params(values, uploads)
