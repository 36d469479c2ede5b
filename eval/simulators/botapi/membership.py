"""Who may write to whom: blocking, groups, their upgrade, and people who go away."""

from __future__ import annotations

from itertools import count
from typing import Any

from eval.simulators.botapi.chats import Chat, Person, Standing
from eval.simulators.botapi.people import Impossible, chat, person
from eval.simulators.botapi.simulator import Simulator

_STATUS = {"member": "member", "blocked": "kicked", "kicked": "kicked", "stranger": "left"}


def block(api: Simulator, person_id: int) -> None:
    _stand(api, chat(api, person_id), person(api, person_id), "blocked")


def unblock(api: Simulator, person_id: int) -> None:
    _stand(api, chat(api, person_id), person(api, person_id), "member")


def deactivate(api: Simulator, person_id: int) -> None:
    """Delete the account; the bot hears of it only when it writes."""
    person(api, person_id).deactivated = True


def forbid_voice(api: Simulator, person_id: int, forbidden: bool) -> None:
    chat(api, person_id).voice_forbidden = forbidden


def found_group(
    api: Simulator, title: str, founder: int, members: list[int], supergroup: bool, with_bot: bool
) -> dict[str, Any]:
    """Make a group; with the bot, its founder adds it at once."""
    group = api.chats.add_group(title, {founder, *members}, supergroup=supergroup)
    if with_bot:
        add_bot(api, founder, group.id)
    return group.shown()


def add_bot(api: Simulator, person_id: int, chat_id: int) -> None:
    group, who = _group(api, chat_id), person(api, person_id)
    _stand(api, group, who, "member")
    put = api.chats.put(group, who, {"new_chat_members": [api.bot.shown()]})
    api.updates.add("message", put.body, lane=chat_id)


def kick_bot(api: Simulator, person_id: int, chat_id: int) -> None:
    group, who = _group(api, chat_id), person(api, person_id)
    put = api.chats.put(group, who, {"left_chat_member": api.bot.shown()})
    api.updates.add("message", put.body, lane=chat_id)
    _stand(api, group, who, "kicked")


def upgrade(api: Simulator, person_id: int, chat_id: int) -> dict[str, Any]:
    """Make a group a supergroup: another chat with another id, in which the bot is, too."""
    group, who = _group(api, chat_id), person(api, person_id)
    if group.type != "group":
        raise Impossible(f"chat {chat_id} is a {group.type}")
    above = api.chats.add_group(group.title, group.members, supergroup=True)
    above.standing, above.own_ids = group.standing, count(1)
    left = api.chats.put(group, who, {"migrate_to_chat_id": above.id})
    come = api.chats.put(above, who, {"migrate_from_chat_id": group.id})
    group.migrated_to = above.id
    api.updates.add("message", left.body, lane=group.id)
    api.updates.add("message", come.body, lane=above.id)
    return above.shown()


def _group(api: Simulator, chat_id: int) -> Chat:
    if not (group := chat(api, chat_id)).group:
        raise Impossible(f"chat {chat_id} is no group")
    return group


def _stand(api: Simulator, where: Chat, who: Person, standing: Standing) -> None:
    """Change the bot's standing and tell it."""
    before, where.standing = where.standing, standing
    if before == standing:
        return
    update = {
        "chat": where.shown(),
        "from": who.shown(),
        "date": int(api.clock.now()),
        "old_chat_member": _member(api, before),
        "new_chat_member": _member(api, standing),
    }
    api.updates.add("my_chat_member", update, lane=where.id)


def _member(api: Simulator, standing: Standing) -> dict[str, Any]:
    status = _STATUS[standing]
    return {"user": api.bot.shown(), "status": status, **({"until_date": 0} if status == "kicked" else {})}
