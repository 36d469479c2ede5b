"""A chat as its people see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MEDIA = ("photo", "voice", "audio", "document", "video", "video_note")


@dataclass(frozen=True)
class Seen:
    """One message on a phone. ``text`` is the caption of a file; ``before`` are the texts it had before its edits."""

    message_id: int
    by_bot: bool
    at: float  # Unix seconds on the simulator's clock
    text: str
    entities: tuple[dict[str, Any], ...]
    buttons: tuple[tuple[dict[str, Any], ...], ...]
    media: str  # photo, voice, audio, document, video, video_note, or ""
    file_id: str
    file_name: str
    reply_to: int
    album: str
    before: tuple[str, ...]
    edited_at: tuple[float, ...]
    deleted: bool
    body: dict[str, Any]  # the Message object

    @property
    def labels(self) -> list[str]:
        """Return the words on the buttons, row by row."""
        return [str(b["text"]) for row in self.buttons for b in row]


def seen(given: dict[str, Any]) -> Seen:
    """Read a message of the control address ``view``."""
    body = given["body"]
    media = next((kind for kind in _MEDIA if kind in body), "")
    held = (body[media][-1] if media == "photo" else body[media]) if media else {}
    rows = body.get("reply_markup", {}).get("inline_keyboard", [])
    return Seen(
        message_id=body["message_id"],
        by_bot=given["by_bot"],
        at=given["at"],
        text=_words(body),
        entities=tuple(body.get("entities") or body.get("caption_entities") or ()),
        buttons=tuple(tuple(row) for row in rows),
        media=media,
        file_id=held.get("file_id", ""),
        file_name=held.get("file_name", ""),
        reply_to=body.get("reply_to_message", {}).get("message_id", 0),
        album=body.get("media_group_id", ""),
        before=tuple(_words(old) for _, old in given["edits"]),
        edited_at=tuple(at for at, _ in given["edits"]),
        deleted=given["deleted"],
        body=body,
    )


def _words(body: dict[str, Any]) -> str:
    return str(body.get("text") or body.get("caption") or "")


@dataclass(frozen=True)
class View:
    """All messages in order, deleted ones too; ``shown`` are those that are there."""

    version: int
    messages: Sequence[Seen]
    actions: Sequence[tuple[float, str]]  # "typing" and the like, with when
    migrated_to: int

    @property
    def shown(self) -> list[Seen]:
        return [m for m in self.messages if not m.deleted]

    @property
    def bot(self) -> list[Seen]:
        """Return what the bot wrote and is there."""
        return [m for m in self.shown if m.by_bot]

    @property
    def texts(self) -> list[str]:
        return [m.text for m in self.shown]

    @property
    def last(self) -> Seen:
        return self.shown[-1]
