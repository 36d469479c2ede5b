"""The tests' side of the wire: one POST per act, JSON in and out. No bot ever calls these addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from aiohttp import web

from eval.simulators.botapi import membership, people
from eval.simulators.botapi.errors import ApiError
from eval.simulators.botapi.faults import Fault
from eval.simulators.botapi.simulator import Simulator

_WAIT_S = 5.0  # real seconds one question for news stays open

ACTS: dict[str, Callable[..., Any]] = {
    "meet": people.meet,
    "send": people.send,
    "edit": people.edit,
    "press": people.press,
    "block": membership.block,
    "unblock": membership.unblock,
    "deactivate": membership.deactivate,
    "forbid_voice": membership.forbid_voice,
    "found_group": membership.found_group,
    "add_bot": membership.add_bot,
    "kick_bot": membership.kick_bot,
    "upgrade": membership.upgrade,
}


def act(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function of the simulator an address."""

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        ACTS[name] = function
        return function

    return put


@act("view")
def view(api: Simulator, chat_id: int) -> dict[str, Any]:
    """Return a chat as it is now, deleted messages too, with what each was before its edits."""
    chat = api.chats.all[chat_id]
    shown = [
        {"body": m.body, "by_bot": m.by == api.bot.id, "at": m.at, "deleted": m.deleted, "edits": m.edits}
        for m in chat.messages.values()
    ]
    return {"version": api.chats.version, "messages": shown, "actions": chat.actions, "migrated_to": chat.migrated_to}


@act("query")
def query(api: Simulator, query_id: str) -> dict[str, Any]:
    return asdict(api.queries.all[query_id])


@act("log")
def log(api: Simulator, since: int = 0) -> list[dict[str, Any]]:
    return [asdict(call) for call in api.log[since:]]


@act("fail")
def fail(api: Simulator, **fault: Any) -> None:
    api.faults.set_.append(Fault(**fault))


@act("heal")
def heal(api: Simulator) -> int:
    """Forget the faults that nobody took, and the bans; how many faults they were."""
    left = len(api.faults.set_)
    api.faults.set_.clear()
    api.pace.bans.clear()
    return left


@act("limits")
def limits(api: Simulator, **values: Any) -> None:
    api.limits.change(values)


@act("advance")
def advance(api: Simulator, by_s: float) -> float:
    api.clock.advance(by_s)
    return api.clock.now()


@act("now")
def now(api: Simulator) -> float:
    return api.clock.now()


@act("push")
def push(api: Simulator, update: dict[str, Any]) -> int:
    return api.updates.add_raw(update)


@act("pending")
def pending(api: Simulator) -> list[dict[str, Any]]:
    return [u.body for u in api.updates.pending()]


@act("file")
def file(api: Simulator, file_id: str) -> dict[str, Any]:
    kept = api.files.of(file_id)
    return {"name": kept.name, "mime": kept.mime, "kind": kept.kind, "data": kept.data.hex()}


@act("commands")
def commands(api: Simulator) -> list[Any]:
    return [[*key, value] for key, value in sorted(api.commands.items())]


@dataclass
class Control:
    """``news`` waits; every other act is done at once."""

    api: Simulator

    async def act(self, request: web.Request) -> web.Response:
        name, args = request.match_info["act"], await request.json()
        try:
            if name == "news":
                await self._news(int(args["since"]))
                return web.json_response({"result": self.api.chats.version})
            result = ACTS[name](self.api, **args)
        except (people.Impossible, ApiError, KeyError, TypeError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        self.api.chats.version += name not in ("view", "log", "query", "now", "pending", "file")
        await self.api.chats.announce()
        return web.json_response({"result": result})

    async def _news(self, since: int) -> None:
        """Return when something changed after version ``since``, or after a while."""
        async with self.api.chats.changed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.api.chats.changed.wait_for(lambda: self.api.chats.version > since), _WAIT_S)
