"""One raw update → what it asks of us. Pure: who may ask is decided here from what is given, nothing is looked up.

The payload is what handlers know (``{"type": "message" | "edit" | "press", …}``). Links are read from entities of text,
caption and quote, hidden ones too; a reply or a forwarded post carries its own (rule CHT-9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from bot.channels.telegram.buttons import unpacked
from bot.channels.telegram.text import code_points
from bot.channels.telegram.wire import CallbackQuery, Chat, Entity, File, MemberUpdated, Message, Update

FILE_LIMIT_BYTES = 20 * 1024 * 1024  # of getFile on Telegram's own server
_SOUNDS = ("voice", "audio", "video", "video_note", "animation")


@dataclass(frozen=True)
class Me:
    """The bot itself, and whom it works for (rule SEC-1). ``file_limit`` in bytes; None: any size can be fetched."""

    id: int
    username: str
    allowed: frozenset[int]
    file_limit: int | None = FILE_LIMIT_BYTES

    @property
    def mention(self) -> str:
        """As it is compared: in small letters."""
        return f"@{self.username}".lower()


@dataclass(frozen=True)
class RemoteFile:
    """A file that lies at the messenger; with ``reason`` it cannot be taken, and the reason is the sentence's key."""

    name: str
    remote: str | None
    size_bytes: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Arrival:
    """Something to handle."""

    chat: str
    grouped: bool
    payload: dict[str, Any]
    message_ref: str | None = None
    album: str | None = None
    files: tuple[RemoteFile, ...] = ()


@dataclass(frozen=True)
class Stranger:
    """Somebody who is not on the list wrote to the bot itself."""

    chat: str
    person: int


@dataclass(frozen=True)
class Moved:
    old: str
    new: str


@dataclass(frozen=True)
class Presence:
    """The bot was blocked, removed, or let in again."""

    chat: str
    here: bool


@dataclass(frozen=True)
class Aside:
    """Not for us, or not readable. ``keep``: stored with its reason; otherwise it leaves no trace.

    ``whole``: it is of an allowed person, so that all of it may be kept.
    """

    reason: str
    keep: bool = False
    whole: bool = False


Inbound = Arrival | Stranger | Moved | Presence | Aside


def read(raw: Any, me: Me) -> Inbound:
    """What this update is. Never raises: what cannot be read is an ``Aside``."""
    person = _sender_of(raw)
    known, stranger = person in me.allowed, person is not None and person not in me.allowed
    try:
        update = Update.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Aside(f"malformed at {place}: {first['msg']}", keep=not stranger, whole=known)
    if update.message is not None:
        return _message(update.message, me, kind="message")
    if update.edited_message is not None:
        return _message(update.edited_message, me, kind="edit")
    if update.callback_query is not None:
        return _press(update.callback_query, me)
    if update.my_chat_member is not None:
        return _presence(update.my_chat_member)
    return Aside("of a kind that is not handled", keep=not stranger, whole=known)


def _sender_of(raw: Any) -> int | None:
    """Who sent it, also when the rest cannot be read: of a stranger nothing is kept."""
    for value in raw.values() if isinstance(raw, dict) else ():
        sender = value.get("from") if isinstance(value, dict) else None
        if isinstance(sender, dict) and isinstance(sender.get("id"), int):
            return int(sender["id"])
    return None


def _message(message: Message, me: Me, *, kind: str) -> Inbound:
    if message.migrate_to_chat_id is not None:
        return Moved(str(message.chat.id), str(message.migrate_to_chat_id))
    if message.migrate_from_chat_id is not None:
        return Moved(str(message.migrate_from_chat_id), str(message.chat.id))
    sender = message.sender
    if sender is None or sender.is_bot or message.sender_chat is not None:
        return Aside("not from a person")
    if sender.id not in me.allowed:
        private = message.chat.type == "private" and kind == "message"
        return Stranger(str(message.chat.id), sender.id) if private else Aside("from a stranger")
    addressed = message.chat.type == "private" or _addressed(message, me)
    if not addressed:
        return Aside("not addressed to the bot")
    if _for_another(message, me):
        return Aside("a command of another bot")
    return _arrival(message, me, kind=kind)


def _arrival(message: Message, me: Me, *, kind: str) -> Arrival:
    text, links = _words(message, me)
    files = _files(message, me)
    reply = message.reply_to_message
    carried: list[str] = []
    if message.quote is not None:
        carried += _links(message.quote.text, message.quote.entities)
    if reply is not None and reply.sender is not None and reply.sender.id != me.id:
        # A reply to somebody's material carries the material where the bot has not seen it: in a group.
        carried += _links(reply.text or "", reply.entities) + _links(reply.caption or "", reply.caption_entities)
        files = files or (_files(reply, me) if message.chat.grouped else ())
    payload: dict[str, Any] = {
        "type": kind,
        "text": text,
        "links": links,
        "carried": list(dict.fromkeys(carried)),
        "forwarded": message.forward_origin is not None,
        "reply_ref": str(reply.message_id) if reply is not None else None,
        "message_ref": str(message.message_id),
    }
    if message.sender is not None and message.sender.language_code:
        payload["client_language"] = message.sender.language_code
    return Arrival(
        chat=str(message.chat.id),
        grouped=message.chat.grouped,
        payload=payload,
        message_ref=str(message.message_id),
        album=message.media_group_id if kind == "message" else None,
        files=files if kind == "message" else (),
    )


def _words(message: Message, me: Me) -> tuple[str, list[list[Any]]]:
    """The text without the bot's own name, and its links as ``[start, end, address]`` in code points."""
    text, entities = message.words
    spans = sorted(_spans(text, entities), key=lambda span: span[0])
    for entity in entities:
        start, end = code_points(text, entity.offset, entity.length)
        if entity.type == "mention" and text[start:end].lower() == me.mention:
            # Of the same length, so that every other offset still holds.
            text = text[:start] + " " * (end - start) + text[end:]
    return _plain(text), [[start, end, address] for start, end, address in spans]


def _plain(text: str) -> str:
    """Without what a database cannot hold, and as long as before: offsets point into it."""
    return "".join(" " if c == "\0" else "\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in text)


def _spans(text: str, entities: tuple[Entity, ...]) -> list[tuple[int, int, str]]:
    found = []
    for entity in entities:
        if entity.type not in ("url", "text_link"):
            continue
        start, end = code_points(text, entity.offset, entity.length)
        address = entity.url if entity.type == "text_link" else text[start:end]
        if address and (link := _address(_plain(address))):
            found.append((start, end, link))
    return found


def _address(written: str) -> str | None:
    """A web address as it can be fetched; None for other kinds such as ``tg://``."""
    scheme, mark, _ = written.partition("://")
    if not mark:
        return f"https://{written}"
    return written if scheme.lower() in ("http", "https") else None


def _links(text: str, entities: tuple[Entity, ...]) -> list[str]:
    return [address for _, _, address in _spans(text, entities)]


def _files(message: Message, me: Me) -> tuple[RemoteFile, ...]:
    if message.photo:
        largest = max(message.photo, key=lambda size: size.width * size.height)
        return (_file(largest, largest.file_name or f"photo-{message.message_id}.jpg", me),)
    # An animation comes as a document too, for clients that do not know it.
    sound = next((getattr(message, kind) for kind in _SOUNDS if getattr(message, kind) is not None), None)
    if sound is not None:
        return (RemoteFile(sound.file_name or "", None, sound.file_size, "media_later"),)
    if message.document is not None:
        return (_file(message.document, message.document.file_name or f"file-{message.message_id}", me),)
    return ()


def _file(file: File, name: str, me: Me) -> RemoteFile:
    big = me.file_limit is not None and file.file_size is not None and file.file_size > me.file_limit
    if big:
        return RemoteFile(name, None, file.file_size, "too_big_for_chat")
    return RemoteFile(name, file.file_id, file.file_size)


def _addressed(message: Message, me: Me) -> bool:
    """A mention, a reply to the bot, or a command that is not another bot's."""
    reply = message.reply_to_message
    if reply is not None and reply.sender is not None and reply.sender.id == me.id:
        return True
    text, entities = message.words
    for entity in entities:
        start, end = code_points(text, entity.offset, entity.length)
        said = text[start:end].lower()
        if entity.type == "mention" and said == me.mention:
            return True
        if entity.type == "bot_command" and (said.endswith(me.mention) or "@" not in said):
            return True
        if entity.type == "text_mention" and entity.user is not None and entity.user.id == me.id:
            return True
    return False


def _for_another(message: Message, me: Me) -> bool:
    """``/word@another_bot`` in the first place, also where the message replies to this bot or is in its own chat."""
    text = message.text or ""
    for entity in message.entities:
        start, end = code_points(text, entity.offset, entity.length)
        if entity.type == "bot_command" and not text[:start].strip():
            _, at, name = text[start:end].lower().partition("@")
            return bool(at) and at + name != me.mention
    return False


def _press(query: CallbackQuery, me: Me) -> Inbound:
    """A press of a stranger is answered like any other, and says no more of them than that."""
    if query.message is None:
        return Aside("a press without its message")
    chat: Chat = query.message.chat
    payload: dict[str, Any] = {
        "type": "press",
        "query": query.id,
        "message_ref": str(query.message.message_id),
        "verb": "old",
        "args": {},
    }
    if query.sender.id not in me.allowed:
        payload |= {"verb": "foreign"}
    elif (pressed := unpacked(query.data)) is not None:
        payload |= {"verb": pressed[0], "args": pressed[1]}
    return Arrival(chat=str(chat.id), grouped=chat.grouped, payload=payload)


def _presence(member: MemberUpdated) -> Inbound:
    return Presence(str(member.chat.id), here=member.new_chat_member.status not in ("kicked", "left"))
