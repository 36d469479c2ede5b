"""Methods that change a message of the bot's."""

from __future__ import annotations

from typing import Any

from eval.simulators.botapi.chats import Chat, Message
from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.keyboards import keyboard
from eval.simulators.botapi.params import Params
from eval.simulators.botapi.sending import written
from eval.simulators.botapi.simulator import Done, Simulator, digest

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current"
    " content and reply markup of the message"
)
_WORDS = ("text", "entities", "caption", "caption_entities", "reply_markup")


def edit_message_text(api: Simulator, p: Params) -> Done:
    chat, message = _own(api, p)
    if "text" not in message.body:
        raise refused("there is no text in the message to edit")
    return _change(api, chat, message, p, written(api, p, caption=False), drops=("text", "entities"))


def edit_message_caption(api: Simulator, p: Params) -> Done:
    chat, message = _own(api, p)
    if "text" in message.body:
        raise refused("there is no caption in the message to edit")
    return _change(api, chat, message, p, written(api, p, caption=True), drops=("caption", "caption_entities"))


def edit_message_reply_markup(api: Simulator, p: Params) -> Done:
    chat, message = _own(api, p)
    return _change(api, chat, message, p, {}, drops=())


def _own(api: Simulator, p: Params) -> tuple[Chat, Message]:
    if p.text("inline_message_id"):
        raise refused("MESSAGE_ID_INVALID")
    chat = api.chats.open(p.chat_id())
    if not p.has("message_id"):
        raise refused("message identifier is not specified")
    message = chat.of(p.integer("message_id"))
    if message is None:
        raise refused("message to edit not found")
    if message.by != api.bot.id or "forward_origin" in message.body:
        raise refused("message can't be edited")
    return chat, message


def _change(
    api: Simulator, chat: Chat, message: Message, p: Params, words: dict[str, Any], *, drops: tuple[str, ...]
) -> Done:
    """Put the words and the keyboard in place; an edit without a keyboard takes it away, as Telegram does."""
    shown = keyboard(p.values.get("reply_markup"), limits=api.limits, editing=True)
    body = {k: v for k, v in message.body.items() if k not in (*drops, "reply_markup")}
    body |= {**words, **({"reply_markup": shown} if shown else {})}
    api.pace.admit(chat.id, group=chat.group)  # Telegram's servers count it before they compare
    if all(body.get(name) == message.body.get(name) for name in _WORDS):
        raise refused(NOT_MODIFIED)
    only_buttons = not drops
    api.chats.edit(message, body, mark=not only_buttons)
    return Done(message.body, chat, (message,), digest(body))
