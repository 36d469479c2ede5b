"""The parts of an update that are read, and nothing else, so that an unknown field can never stop one (rule CHT-1).

Names are the Bot API's (core.telegram.org/bots/api, 10.3). Each update is validated by itself.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[int, Field(ge=-(2**62), le=2**62)]
# What is asked for; naming them keeps the setting of an earlier program from hiding any.
ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")


class Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class User(Wire):
    id: Id
    is_bot: bool = False
    username: str | None = None
    language_code: str | None = None  # IETF tag of the client


class Chat(Wire):
    id: Id
    type: str

    @property
    def grouped(self) -> bool:
        return self.type in ("group", "supergroup")


class Entity(Wire):
    """``offset`` and ``length`` count UTF-16 units."""

    type: str
    offset: Annotated[int, Field(ge=0)]
    length: Annotated[int, Field(ge=0)]
    url: str | None = None
    user: User | None = None


class File(Wire):
    file_id: str
    file_unique_id: str = ""
    file_size: int | None = None
    file_name: str | None = None
    mime_type: str | None = None


class PhotoSize(File):
    width: int = 0
    height: int = 0


class Quote(Wire):
    text: str = ""
    entities: tuple[Entity, ...] = ()


class Message(Wire):
    message_id: Id
    date: int
    chat: Chat
    sender: Annotated[User | None, Field(alias="from")] = None
    sender_chat: Chat | None = None
    text: str | None = None
    entities: tuple[Entity, ...] = ()
    caption: str | None = None
    caption_entities: tuple[Entity, ...] = ()
    forward_origin: dict[str, Any] | None = None  # read for being there: its fields are often incomplete
    reply_to_message: Message | None = None
    quote: Quote | None = None
    media_group_id: str | None = None
    document: File | None = None
    photo: tuple[PhotoSize, ...] = ()
    voice: File | None = None
    audio: File | None = None
    video: File | None = None
    video_note: File | None = None
    animation: File | None = None
    migrate_to_chat_id: Id | None = None
    migrate_from_chat_id: Id | None = None

    @property
    def words(self) -> tuple[str, tuple[Entity, ...]]:
        """Text, or else caption, with its entities."""
        if self.text is not None:
            return self.text, self.entities
        return self.caption or "", self.caption_entities


class CallbackQuery(Wire):
    id: str
    sender: Annotated[User, Field(alias="from")]
    message: Message | None = None  # None, or without date, where the message is too old to be shown
    data: str | None = None


class Member(Wire):
    status: str


class MemberUpdated(Wire):
    chat: Chat
    sender: Annotated[User, Field(alias="from")]
    new_chat_member: Member


class Update(Wire):
    update_id: Id
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: CallbackQuery | None = None
    my_chat_member: MemberUpdated | None = None
