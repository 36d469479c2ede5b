"""What people do in their chats, and the updates the bot gets of it."""

from __future__ import annotations

import base64
from typing import Any

from eval.simulators.botapi import media
from eval.simulators.botapi.chats import Chat, Message, Person
from eval.simulators.botapi.entities import cut, found
from eval.simulators.botapi.simulator import Simulator


class Impossible(Exception):
    """A person cannot do this: the test asks for what no phone could do."""


def person(api: Simulator, person_id: int) -> Person:
    if (one := api.chats.people.get(person_id)) is None:
        raise Impossible(f"nobody has the id {person_id}")
    return one


def chat(api: Simulator, chat_id: int) -> Chat:
    if (one := api.chats.all.get(chat_id)) is None:
        raise Impossible(f"no chat has the id {chat_id}")
    if one.migrated_to:
        raise Impossible(f"chat {chat_id} became {one.migrated_to}")
    return one


def message(api: Simulator, chat_id: int, message_id: int) -> Message:
    if (one := chat(api, chat_id).of(message_id)) is None:
        raise Impossible(f"chat {chat_id} shows no message {message_id}")
    return one


def meet(api: Simulator, first_name: str, username: str, language_code: str, started: bool) -> dict[str, Any]:
    """Add a person; ``started`` is whether they have pressed Start, without which the bot may not write to them."""
    return api.chats.add_person(first_name, username=username, language_code=language_code, started=started).shown()


def send(
    api: Simulator,
    person_id: int,
    chat_id: int,
    *,
    text: str = "",
    entities: list[dict[str, Any]] | None = None,
    file: dict[str, Any] | None = None,
    reply_to: int = 0,
    quote: str = "",
    origin: dict[str, Any] | None = None,
    album: str = "",
) -> dict[str, Any]:
    """Send words, or a file with words as its caption; return the Message object."""
    who, where = person(api, person_id), chat(api, chat_id)
    if where.standing == "stranger":
        where.standing = "member"
    content: dict[str, Any] = {}
    if origin:
        content["forward_origin"] = {"date": int(api.clock.now()), **origin}
    if reply_to:
        content |= _reply(message(api, chat_id, reply_to), quote)
    if file:
        content |= _file(api, file)
    marked = [*(entities or []), *found(text, entities or [])]
    name, list_name = ("caption", "caption_entities") if file else ("text", "entities")
    content |= {k: v for k, v in ((name, text), (list_name, marked)) if v}
    if album:
        content["media_group_id"] = album
    put = api.chats.put(where, who, content)
    if _concerns(api, where, put):
        api.updates.add("message", put.body, lane=where.id)
    return put.body


def _reply(to: Message, quote: str) -> dict[str, Any]:
    shown = {k: v for k, v in to.body.items() if k != "reply_to_message"}
    if not quote:
        return {"reply_to_message": shown}
    words = str(to.body.get("text") or to.body.get("caption") or "")
    if quote not in words:
        raise Impossible(f"message {to.message_id} has no words {quote!r} to quote")
    position = len(words[: words.index(quote)].encode("utf-16-le")) // 2
    return {"reply_to_message": shown, "quote": {"text": quote, "position": position, "is_manual": True}}


def _file(api: Simulator, given: dict[str, Any]) -> dict[str, Any]:
    """Keep a file of a person's. People may send up to 2 GB, whatever a bot may fetch."""
    data = base64.b64decode(given["data"]) if given.get("data") else bytes(int(given.get("size_bytes", 0)))
    kind: media.Sendable = given["kind"]
    kept = api.files.keep(kind, data, name=given.get("name", ""), mime=given.get("mime", ""))
    return media.body(api, kind, kept, media.extras(given))


def _concerns(api: Simulator, where: Chat, put: Message) -> bool:
    """Whether the bot gets to see it (privacy mode: of a group only commands, mentions and replies to the bot)."""
    if where.standing in ("kicked", "blocked"):
        return False
    if not where.group or not api.limits.group_privacy:
        return True
    if put.body.get("reply_to_message", {}).get("from", {}).get("id") == api.bot.id:
        return True
    words = str(put.body.get("text") or put.body.get("caption") or "")
    marks = put.body.get("entities") or put.body.get("caption_entities") or []
    seen = [(e["type"], cut(words, e["offset"], e["length"])) for e in marks]
    mine = f"@{api.username}"
    return any(
        (kind == "mention" and said == mine) or (kind == "bot_command" and ("@" not in said or said.endswith(mine)))
        for kind, said in seen
    )


def edit(
    api: Simulator, person_id: int, chat_id: int, message_id: int, text: str, entities: list[dict[str, Any]]
) -> dict[str, Any]:
    """Change one's own words."""
    one = message(api, chat_id, message_id)
    if one.by != person_id:
        raise Impossible("people edit only their own messages")
    name, list_name = ("text", "entities") if "text" in one.body else ("caption", "caption_entities")
    body = {k: v for k, v in one.body.items() if k not in (name, list_name)}
    marked = [*entities, *found(text, entities)]
    api.chats.edit(one, {**body, name: text, **({list_name: marked} if marked else {})})
    if _concerns(api, chat(api, chat_id), one):
        api.updates.add("edited_message", one.body, lane=chat_id)
    return one.body


def press(api: Simulator, person_id: int, chat_id: int, message_id: int, button: str, stale: bool) -> dict[str, Any]:
    """Press the button with this label or this data.

    ``stale``: press data that the message no longer shows, as a phone does that has not heard of an edit yet.

    Returns:
        ``{"query_id": …}``, or ``{"url": …}`` for a button that opens a page.
    """
    who, one = person(api, person_id), message(api, chat_id, message_id)
    if stale:
        data = button
    else:
        rows = one.body.get("reply_markup", {}).get("inline_keyboard", [])
        shown = [b for row in rows for b in row if button in (b["text"], b.get("callback_data"))]
        if not shown:
            raise Impossible(f"message {message_id} has no button {button!r}, only {rows!r}")
        if "disabled" in shown[0]:
            raise Impossible(f"the button {button!r} is disabled")
        if "callback_data" not in shown[0]:
            return {"url": shown[0].get("url", "")}
        data = shown[0]["callback_data"]
    query = api.queries.press(chat_id, message_id, person_id, data)
    update = {
        "id": query.id,
        "from": who.shown(),
        "message": one.body,
        "chat_instance": str(chat_id * 7919),
        "data": data,
    }
    api.updates.add("callback_query", update, lane=chat_id)
    return {"query_id": query.id}
