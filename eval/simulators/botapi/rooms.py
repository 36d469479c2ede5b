"""A chat as a test watches it, and a button that was pressed in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eval.simulators.botapi.seen import View, seen
from eval.simulators.botapi.wire import Wire

Condition = Callable[[View], object]


@dataclass(frozen=True)
class Room:
    """One chat; of a private one, ``id`` is the person's."""

    wire: Wire
    id: int

    async def view(self) -> View:
        given = await self.wire.do("view", chat_id=self.id)
        return View(
            given["version"],
            [seen(m) for m in given["messages"]],
            [(at, what) for at, what in given["actions"]],
            given["migrated_to"],
        )

    async def until(self, holds: Condition, *, timeout_s: float = 20) -> View:
        """Return the chat as soon as ``holds``; ``timeout_s`` is real time.

        Raises:
            AssertionError: it did not; shows the chat.
        """
        view = await self.view()
        try:
            async with asyncio.timeout(timeout_s):
                while not holds(view):
                    await self.wire.do("news", since=view.version)
                    view = await self.view()
        except TimeoutError:
            shown = "\n".join(f"{'bot' if m.by_bot else 'you'}: {m.media or m.text!r} {m.labels}" for m in view.shown)
            raise AssertionError(f"this never came true in {timeout_s} s; the chat shows:\n{shown}") from None
        return view


@dataclass(frozen=True)
class Press:
    """A button that was pressed; ``url`` is of one that opens a page and asks nobody."""

    wire: Wire
    query_id: str
    url: str

    async def state(self) -> dict[str, Any]:
        return dict(await self.wire.do("query", query_id=self.query_id))

    async def answered(self, *, timeout_s: float = 10) -> Answer:
        """Wait until the spinner stops.

        Raises:
            AssertionError: nobody answered in ``timeout_s`` real seconds.
        """
        try:
            async with asyncio.timeout(timeout_s):
                since = await self.wire.do("news", since=-1)
                while (state := await self.state())["answer"] is None:
                    since = await self.wire.do("news", since=since)
        except TimeoutError:
            raise AssertionError(f"the button still spins after {timeout_s} s") from None
        told = state["answer"]
        return Answer(told["text"], told["alert"], state["answered_at"] - state["at"])


@dataclass(frozen=True)
class Answer:
    text: str
    alert: bool
    after_s: float  # since the press, on the simulator's clock
