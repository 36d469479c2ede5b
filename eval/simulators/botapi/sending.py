"""Methods that put a message into a chat."""

from __future__ import annotations

import uuid
from typing import Any

from eval.simulators.botapi import media
from eval.simulators.botapi.chats import Chat, Message
from eval.simulators.botapi.entities import formatted, units
from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.keyboards import keyboard
from eval.simulators.botapi.params import Params
from eval.simulators.botapi.simulator import Done, Simulator, digest

ACTIONS = frozenset(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker"
    " find_location record_video_note upload_video_note".split()
)


def written(api: Simulator, p: Params, *, caption: bool) -> dict[str, Any]:
    """Return ``text`` and ``entities`` of a call, or ``caption`` and ``caption_entities``; no caption is nothing."""
    if p.text("parse_mode"):
        raise refused("parse_mode is not simulated; send entities")
    name, list_name = ("caption", "caption_entities") if caption else ("text", "entities")
    if caption and not p.text(name):
        return {}
    text, entities = formatted(p.text(name), p.values.get(list_name), limits=api.limits, caption=caption)
    return {name: text, **({list_name: entities} if entities else {})}


def replied(chat: Chat, p: Params) -> dict[str, Any]:
    """Return ``reply_to_message`` and ``quote`` of a call.

    Raises:
        ApiError: 400 for a message that is not there (unless the caller said it may be missing), or another quote.
    """
    asked = p.parsed("reply_parameters") or {"message_id": p.integer("reply_to_message_id")}
    lenient = bool(asked.get("allow_sending_without_reply")) or p.flag("allow_sending_without_reply")
    if not (number := int(asked.get("message_id") or 0)):
        return {}
    if (to := chat.of(number)) is None:
        if lenient:
            return {}
        raise refused("message to be replied not found")
    shown = {k: v for k, v in to.body.items() if k != "reply_to_message"}  # one level, as the API says
    if not (quote := str(asked.get("quote") or "")):
        return {"reply_to_message": shown}
    text = str(to.body.get("text") or to.body.get("caption") or "")
    if quote not in text:
        raise refused("QUOTE_TEXT_INVALID")
    position = units(text[: text.index(quote)])
    return {"reply_to_message": shown, "quote": {"text": quote, "position": position, "is_manual": True}}


def _frame(api: Simulator, chat: Chat, p: Params) -> dict[str, Any]:
    """Return what every kind of message has: the reply and the keyboard."""
    shown = keyboard(p.values.get("reply_markup"), limits=api.limits)
    return {**replied(chat, p), **({"reply_markup": shown} if shown else {})}


def _put(api: Simulator, chat: Chat, content: dict[str, Any], files: tuple[bytes, ...] = ()) -> Done:
    api.pace.admit(chat.id, group=chat.group)
    message = api.chats.put(chat, api.bot, content)
    return Done(message.body, chat, (message,), digest(content, files))


def send_message(api: Simulator, p: Params) -> Done:
    chat = api.chats.open(p.chat_id())
    return _put(api, chat, {**written(api, p, caption=False), **_frame(api, chat, p)})


def send_voice(api: Simulator, p: Params) -> Done:
    return _send_file(api, p, "voice")


def send_audio(api: Simulator, p: Params) -> Done:
    return _send_file(api, p, "audio")


def send_document(api: Simulator, p: Params) -> Done:
    return _send_file(api, p, "document")


def send_photo(api: Simulator, p: Params) -> Done:
    return _send_file(api, p, "photo")


def _send_file(api: Simulator, p: Params, kind: media.Sendable) -> Done:
    chat = api.chats.open(p.chat_id())
    source = media.source(api, p, kind)
    shape = media.shape(kind, source)
    if shape in ("voice", "video_note") and chat.voice_forbidden:
        raise refused("VOICE_MESSAGES_FORBIDDEN")
    extra = media.extras(p.values)
    content = {
        **media.body(api, shape, source, extra),
        **written(api, p, caption=True),
        **_frame(api, chat, p),
    }
    return _put(api, chat, content, (source.data,))


def send_media_group(api: Simulator, p: Params) -> Done:
    chat = api.chats.open(p.chat_id())
    items = p.parsed("media")
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
        raise refused("can't parse media JSON object")
    if not 2 <= len(items) <= 10:
        raise refused("wrong number of messages to send as an album: 2 to 10 expected")
    kinds = {str(i.get("type")) for i in items}
    if kinds - {"photo", "video", "document", "audio"} or (len(kinds) > 1 and not kinds <= {"photo", "video"}):
        raise refused("can't use the media of the specified type in the album")
    contents, sources = [], []
    for item in items:
        part = Params(item, p.uploads)
        kind: media.Sendable = item["type"]
        source = media.source(api, part, kind, field_name="media")
        shape = media.shape(kind, source)
        body = media.body(api, shape, source, media.extras(item))
        contents.append({**body, **written(api, part, caption=True)})
        sources.append(source.data)
    reply = replied(chat, p)
    api.pace.admit(chat.id, group=chat.group, items=len(items))
    group = str(uuid.uuid4().int % 10**17)
    messages = tuple(api.chats.put(chat, api.bot, {**c, **reply, "media_group_id": group}) for c in contents)
    return Done([m.body for m in messages], chat, messages, digest(contents[0], tuple(sources)))


def send_chat_action(api: Simulator, p: Params) -> Done:
    chat = api.chats.open(p.chat_id())
    if (action := p.text("action")) not in ACTIONS:
        raise refused("wrong parameter action in request")
    chat.actions.append((api.clock.now(), action))
    return Done(True, chat)


def delete_message(api: Simulator, p: Params) -> Done:
    chat = api.chats.open(p.chat_id())
    message: Message | None = chat.of(p.integer("message_id"))
    if message is None:
        raise refused("message to delete not found")
    old = api.clock.now() - message.at > api.limits.delete_age_s
    if old or (message.by != api.bot.id and chat.type != "private"):
        raise refused("message can't be deleted")
    api.chats.delete(message)
    return Done(True, chat, (message,))
