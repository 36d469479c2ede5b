"""Methods about the bot, its updates, its files and the chats it is in."""

from __future__ import annotations

import re
from typing import Any

from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.params import Params
from eval.simulators.botapi.simulator import Done, Simulator

_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_SCOPES = frozenset(
    "default all_private_chats all_group_chats all_chat_administrators chat chat_administrators chat_member".split()
)


def get_me(api: Simulator, p: Params) -> Done:
    abilities = {
        "can_join_groups": True,
        "can_read_all_group_messages": not api.limits.group_privacy,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }
    return Done({**api.bot.shown(), **abilities})


def answer_callback_query(api: Simulator, p: Params) -> Done:
    answer = {"text": p.text("text"), "alert": p.flag("show_alert"), "url": p.text("url")}
    query = api.queries.answer(p.text("callback_query_id"), answer)
    api.chats.version += 1
    return Done(True, api.chats.all.get(query.chat_id))


def get_file(api: Simulator, p: Params) -> Done:
    return Done(api.files.link(p.text("file_id")))


def get_chat(api: Simulator, p: Params) -> Done:
    chat = api.chats.of(p.chat_id())
    if chat.standing in ("kicked", "stranger"):
        raise refused("chat not found" if chat.standing == "stranger" else "bot is not a member of the chat", 400)
    gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
    full: dict[str, Any] = {
        **chat.shown(),
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(gifts, True),
    }
    return Done({**full, "has_restricted_voice_and_video_messages": True} if chat.voice_forbidden else full, chat)


def set_webhook(api: Simulator, p: Params) -> Done:
    if not p.text("url"):
        return delete_webhook(api, p)
    api.updates.allow(p.parsed("allowed_updates"))
    api.webhook.set(p.text("url"), p.text("secret_token"))
    if p.flag("drop_pending_updates"):
        api.updates.waiting.clear()
    return Done(True)


def delete_webhook(api: Simulator, p: Params) -> Done:
    api.webhook.delete()
    if p.flag("drop_pending_updates"):
        api.updates.waiting.clear()
    return Done(True)


def get_webhook_info(api: Simulator, p: Params) -> Done:
    return Done(api.webhook.info())


def set_my_commands(api: Simulator, p: Params) -> Done:
    commands = p.parsed("commands")
    if not isinstance(commands, list) or len(commands) > 100:
        raise refused("BOT_COMMANDS_TOO_MUCH" if isinstance(commands, list) else "can't parse commands")
    for one in commands:
        if not _COMMAND.fullmatch(str(one.get("command", ""))):
            raise refused("BOT_COMMAND_INVALID")
        if not 1 <= len(str(one.get("description", ""))) <= 256:
            raise refused("BOT_COMMAND_DESCRIPTION_INVALID")
    kept = [{"command": str(c["command"]), "description": str(c["description"])} for c in commands]
    api.commands[_scope(p)] = kept
    return Done(True)


def get_my_commands(api: Simulator, p: Params) -> Done:
    return Done(api.commands.get(_scope(p), []))


def delete_my_commands(api: Simulator, p: Params) -> Done:
    api.commands.pop(_scope(p), None)
    return Done(True)


def _scope(p: Params) -> tuple[str, str]:
    """Return the key of a list of commands: the scope as it is written, and the language."""
    scope = p.parsed("scope") or {"type": "default"}
    if scope.get("type") not in _SCOPES:
        raise refused("can't parse BotCommandScope: unsupported type")
    return ":".join(str(scope[k]) for k in ("type", "chat_id", "user_id") if k in scope), p.text("language_code")
