"""Telegram as a test has it: its people, its chats, its faults, its log. Works in and out of process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from eval.simulators.botapi.log import Call
from eval.simulators.botapi.rooms import Room
from eval.simulators.botapi.simulator import TOKEN
from eval.simulators.botapi.users import User
from eval.simulators.botapi.wire import Wire


@dataclass
class Telegram:
    """One running simulator. ``base`` goes where a client takes the address of the Bot API."""

    base: str
    token: str = TOKEN

    def __post_init__(self) -> None:
        self.wire = Wire(self.base)

    async def close(self) -> None:
        await self.wire.client.aclose()

    async def do(self, act: str, **args: Any) -> Any:
        """Ask for one act of ``control``; see there."""
        return await self.wire.do(act, **args)

    async def call(self, method: str, **params: Any) -> httpx.Response:
        """Call the Bot API as plain JSON, for what no library can express."""
        return await self.wire.client.post(f"{self.base}/bot{self.token}/{method}", json=params)

    async def user(
        self, first_name: str = "Ann", *, username: str = "", language_code: str = "en", started: bool = True
    ) -> User:
        shown = await self.do(
            "meet", first_name=first_name, username=username, language_code=language_code, started=started
        )
        return User(self.wire, shown["id"], first_name)

    async def group(
        self, founder: User, *members: User, title: str = "Readers", supergroup: bool = False, with_bot: bool = True
    ) -> Room:
        shown = await self.do(
            "found_group",
            title=title,
            founder=founder.id,
            members=[m.id for m in members],
            supergroup=supergroup,
            with_bot=with_bot,
        )
        return Room(self.wire, shown["id"])

    async def fail(self, kind: str, method: str = "", **more: Any) -> None:
        """Set a fault; see ``faults.Fault``."""
        await self.do("fail", kind=kind, method=method, **more)

    async def limits(self, **values: Any) -> None:
        await self.do("limits", **values)

    async def advance(self, by_s: float) -> None:
        await self.do("advance", by_s=by_s)

    async def push(self, **update: Any) -> int:
        """Put an update into the queue as it is; its id."""
        return int(await self.do("push", update=update))

    async def pending(self) -> list[dict[str, Any]]:
        """Return the updates nobody has confirmed."""
        return list(await self.do("pending"))

    async def log(self) -> list[Call]:
        return [Call(**{**c, "message_ids": tuple(c["message_ids"])}) for c in await self.do("log")]

    async def file(self, file_id: str) -> bytes:
        """Return the bytes behind a file of a message."""
        return bytes.fromhex((await self.do("file", file_id=file_id))["data"])
