"""Files and pasted text of a message → what a command takes."""

from __future__ import annotations

from typing import Any

from bot.handlers.context import Context
from pipeline.commands.episode import Upload
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Reason
from pipeline.intake.route import route

MESSENGER_MB = 20  # what a bot may fetch from Telegram's own server


async def routed(context: Context, file: dict[str, Any]) -> Upload:
    """A stored file with its kind. Raises InputRejected when it is none that is read, or could not be fetched."""
    name = str(file.get("name", ""))
    if reason := file.get("reason"):
        tries = int(file.get("tries", 0))
        raise InputRejected(str(reason), name=name or "?", limit_mb=MESSENGER_MB, tries=tries)
    data = await context.blobs.get(file["blob_key"])
    kind = InputType.PASTE if file.get("paste") else route(data, name=name, limits=context.sources)
    if not data.strip():
        raise InputRejected(Reason.EMPTY_FILE)
    return Upload(name, kind, file["blob_key"], file["sha256"], len(data))


async def pasted(context: Context, text: str, *, owner_id: int) -> Upload:
    blob = await context.blobs.put(text.encode(), owner_id=owner_id)
    return Upload("", InputType.PASTE, blob.key, blob.sha256, blob.size_bytes)
