"""The people, the chats and the messages in them: what Telegram remembers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.errors import refused

Standing = Literal["member", "blocked", "kicked", "stranger"]
BOT_ID = 7_000_000_001


@dataclass
class Person:
    """Somebody with a phone, or the bot itself."""

    id: int
    first_name: str
    username: str = ""
    language_code: str = ""
    is_bot: bool = False
    deactivated: bool = False

    def shown(self) -> dict[str, Any]:
        """Return the User object."""
        more = {"username": self.username, "language_code": self.language_code}
        return {
            "id": self.id,
            "is_bot": self.is_bot,
            "first_name": self.first_name,
            **{k: v for k, v in more.items() if v},
        }


@dataclass
class Message:
    """One message: ``body`` is the Message object as the Bot API shows it now."""

    chat_id: int
    message_id: int
    by: int
    body: dict[str, Any]
    at: float
    deleted: bool = False
    edits: list[tuple[float, dict[str, Any]]] = field(default_factory=list)  # when, and the body until then


@dataclass
class Chat:
    """A chat of the bot. ``standing`` is the bot's: whether it may write there."""

    id: int
    type: Literal["private", "group", "supergroup", "channel"]
    title: str = ""
    person: Person | None = None
    members: set[int] = field(default_factory=set)
    standing: Standing = "member"
    migrated_to: int = 0
    voice_forbidden: bool = False
    messages: dict[int, Message] = field(default_factory=dict)
    actions: list[tuple[float, str]] = field(default_factory=list)
    own_ids: Iterator[int] | None = None  # a supergroup numbers its messages by itself

    @property
    def group(self) -> bool:
        return self.type in ("group", "supergroup")

    def shown(self) -> dict[str, Any]:
        """Return the Chat object."""
        if self.person is None:
            return {"id": self.id, "type": self.type, "title": self.title}
        name = {"first_name": self.person.first_name, "username": self.person.username}
        return {"id": self.id, "type": self.type, **{k: v for k, v in name.items() if v}}

    def of(self, message_id: int) -> Message | None:
        """Return a message that is still there."""
        message = self.messages.get(message_id)
        return None if message is None or message.deleted else message


@dataclass
class Chats:
    """``changed`` tells whoever watches that something is different."""

    clock: Clock
    bot: Person
    people: dict[int, Person] = field(default_factory=dict)
    all: dict[int, Chat] = field(default_factory=dict)
    version: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _ids: Iterator[int] = field(default_factory=lambda: count(1))
    _people_ids: Iterator[int] = field(default_factory=lambda: count(5_000_001))
    _group_ids: Iterator[int] = field(default_factory=lambda: count(4_000_001))

    def add_person(self, first_name: str, *, username: str, language_code: str, started: bool) -> Person:
        person = Person(next(self._people_ids), first_name, username, language_code)
        self.people[person.id] = person
        standing: Standing = "member" if started else "stranger"
        self.all[person.id] = Chat(person.id, "private", person=person, members={person.id}, standing=standing)
        return person

    def add_group(self, title: str, members: set[int], *, supergroup: bool) -> Chat:
        number = next(self._group_ids)
        chat = Chat(
            -1_000_000_000_000 - number if supergroup else -number,
            "supergroup" if supergroup else "group",
            title,
            members=members,
            standing="kicked",  # until somebody adds the bot
            own_ids=count(1) if supergroup else None,
        )
        self.all[chat.id] = chat
        return chat

    def of(self, chat_id: int) -> Chat:
        """Return a chat, whether or not the bot may write to it.

        Raises:
            ApiError: 400 for a chat nobody knows, and for a group that became another chat.
        """
        chat = self.all.get(chat_id)
        if chat is None:
            raise refused("chat not found")
        if chat.migrated_to:
            raise refused("group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to)
        return chat

    def open(self, chat_id: int) -> Chat:
        """Return a chat the bot may write to.

        Raises:
            ApiError: 403 for a chat that does not want the bot.
        """
        chat = self.of(chat_id)
        if chat.person is not None and chat.person.deactivated:
            raise refused("user is deactivated", 403)
        if chat.standing == "stranger":
            raise refused("bot can't initiate conversation with a user", 403)
        if chat.standing == "blocked":
            raise refused("bot was blocked by the user", 403)
        if chat.standing == "kicked":
            raise refused(f"bot was kicked from the {'super' if chat.type == 'supergroup' else ''}group chat", 403)
        return chat

    def put(self, chat: Chat, by: Person, content: dict[str, Any]) -> Message:
        """Write a message into a chat."""
        now = self.clock.now()
        number = next(chat.own_ids or self._ids)
        # In every Message object these four come first.
        body = {"message_id": number, "from": by.shown(), "chat": chat.shown(), "date": int(now), **content}
        chat.messages[number] = Message(chat.id, number, by.id, body, now)
        self.version += 1
        return chat.messages[number]

    def edit(self, message: Message, body: dict[str, Any], *, mark: bool = True) -> None:
        """Replace the body; ``mark`` says that the message shows that it was edited."""
        now = self.clock.now()
        message.edits.append((now, message.body))
        message.body = {**body, "edit_date": int(now)} if mark else body
        self.version += 1

    def delete(self, message: Message) -> None:
        message.deleted = True
        self.version += 1

    async def announce(self) -> None:
        """Wake those who watch."""
        async with self.changed:
            self.changed.notify_all()
