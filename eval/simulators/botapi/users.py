"""Somebody with a phone, and the origins that a forwarded message may have."""

from __future__ import annotations

import base64
import uuid
from dataclasses import dataclass
from typing import Any

from eval.simulators.botapi.markup import parsed
from eval.simulators.botapi.rooms import Press, Room
from eval.simulators.botapi.seen import Seen
from eval.simulators.botapi.wire import Wire


@dataclass(frozen=True)
class User:
    """Somebody who talks to the bot, in their private chat unless another is given."""

    wire: Wire
    id: int
    first_name: str

    @property
    def chat(self) -> Room:
        return Room(self.wire, self.id)

    async def send(
        self,
        text: str,
        *,
        chat: Room | None = None,
        reply_to: int = 0,
        quote: str = "",
        origin: dict[str, Any] | None = None,
    ) -> int:
        """Send words (see ``markup``); the message's id. ``origin`` makes it a forward: ``from_user`` and its like."""
        plain, entities = parsed(text)
        body = await self._send(chat, text=plain, entities=entities, reply_to=reply_to, quote=quote, origin=origin)
        return int(body["message_id"])

    async def send_file(
        self,
        kind: str,
        data: bytes = b"",
        *,
        name: str = "",
        mime: str = "",
        caption: str = "",
        chat: Room | None = None,
        size_bytes: int = 0,
        origin: dict[str, Any] | None = None,
        reply_to: int = 0,
        album: str = "",
        **said: Any,
    ) -> int:
        """Send a ``document``, ``photo``, ``voice``, ``audio``, ``video`` or ``video_note``; the message's id.

        Args:
            size_bytes: instead of data, so many zeros.
            said: duration, title, performer, width, height.
        """
        plain, entities = parsed(caption)
        file = {"kind": kind, "name": name, "mime": mime, "size_bytes": size_bytes, **said}
        file["data"] = base64.b64encode(data).decode()
        body = await self._send(
            chat, text=plain, entities=entities, file=file, origin=origin, reply_to=reply_to, album=album
        )
        return int(body["message_id"])

    async def send_album(self, *files: dict[str, Any], chat: Room | None = None) -> list[int]:
        """Send several files as one: an update each, with one ``media_group_id``. Arguments as of ``send_file``."""
        album = str(uuid.uuid4().int % 10**17)
        return [await self.send_file(**file, album=album, chat=chat) for file in files]

    async def _send(self, chat: Room | None, **what: Any) -> dict[str, Any]:
        where = chat.id if chat else self.id
        given = {k: v for k, v in what.items() if v}
        return dict(await self.wire.do("send", person_id=self.id, chat_id=where, **given))

    async def edit(self, message_id: int, text: str, *, chat: Room | None = None) -> None:
        plain, entities = parsed(text)
        where = chat.id if chat else self.id
        await self.wire.do(
            "edit", person_id=self.id, chat_id=where, message_id=message_id, text=plain, entities=entities
        )

    async def press(self, message: Seen | int, button: str, *, chat: Room | None = None, stale: bool = False) -> Press:
        """Press a button by its words or its data; ``stale`` presses data that is no longer shown."""
        number = message if isinstance(message, int) else message.message_id
        where = chat.id if chat else self.id
        told = await self.wire.do(
            "press", person_id=self.id, chat_id=where, message_id=number, button=button, stale=stale
        )
        return Press(self.wire, told.get("query_id", ""), told.get("url", ""))

    async def block(self) -> None:
        await self.wire.do("block", person_id=self.id)

    async def unblock(self) -> None:
        await self.wire.do("unblock", person_id=self.id)

    async def deactivate(self) -> None:
        await self.wire.do("deactivate", person_id=self.id)

    async def forbid_voice(self, forbidden: bool = True) -> None:
        await self.wire.do("forbid_voice", person_id=self.id, forbidden=forbidden)

    async def add_bot(self, group: Room) -> None:
        await self.wire.do("add_bot", person_id=self.id, chat_id=group.id)

    async def kick_bot(self, group: Room) -> None:
        await self.wire.do("kick_bot", person_id=self.id, chat_id=group.id)

    async def upgrade(self, group: Room) -> Room:
        """Make a group a supergroup, which is another chat."""
        return Room(self.wire, (await self.wire.do("upgrade", person_id=self.id, chat_id=group.id))["id"])


def from_user(user: User) -> dict[str, Any]:
    """Return the origin of a forward from somebody whose account shows."""
    sender = {"id": user.id, "is_bot": False, "first_name": user.first_name}
    return {"type": "user", "sender_user": sender}


def from_hidden(name: str = "Somebody") -> dict[str, Any]:
    """Return the origin of a forward from somebody who hides their account."""
    return {"type": "hidden_user", "sender_user_name": name}


def from_channel(title: str = "A channel", *, message_id: int = 77) -> dict[str, Any]:
    """Return the origin of a forwarded post."""
    chat = {"id": -1_001_000_000_007, "type": "channel", "title": title}
    return {"type": "channel", "chat": chat, "message_id": message_id}
