"""Updates that belong together, as one: the files of an album with its one caption (rule CHT-9). Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from storage.queries.chat.inbox import FileView, UpdateView


def whole(update: UpdateView) -> UpdateView:
    """The update with its files in its payload, and with the words and files of the other members of its album.

    A channel whose updates bring their files along is left as it is.
    """
    if not update.members:
        return update
    payload = dict(update.payload)
    texts, links, carried, files = [], [], [], []
    at = 0
    for member in update.members:
        text = str(member.payload.get("text", ""))
        links += [[start + at, end + at, address] for start, end, address in member.payload.get("links", [])]
        if text:
            texts.append(text)
            at += len(text) + 1
        carried += member.payload.get("carried", [])
        files += [_file(file) for file in member.files]
    if payload.get("type") == "message":
        payload |= {"text": "\n".join(texts), "links": links, "carried": list(dict.fromkeys(carried)), "files": files}
    return replace(update, payload=payload)


def _file(file: FileView) -> dict[str, Any]:
    """As the web's uploads come; ``reason`` where there are no bytes."""
    if file.blob_key is None:
        return {"name": file.name, "size": file.size_bytes or 0, "reason": file.reason, "tries": file.tries}
    return {
        "name": file.name,
        "size": file.size_bytes,
        "paste": False,
        "blob_key": file.blob_key,
        "sha256": file.sha256,
    }
