"""Everything the simulator knows, in one object, and what a method gives back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eval.simulators.botapi.chats import BOT_ID, Chat, Chats, Message, Person
from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.faults import Faults
from eval.simulators.botapi.files import Files
from eval.simulators.botapi.limits import Limits, Pace
from eval.simulators.botapi.log import Call
from eval.simulators.botapi.params import Params
from eval.simulators.botapi.queries import Queries
from eval.simulators.botapi.updates import Updates
from eval.simulators.botapi.webhook import Webhook

TOKEN = f"{BOT_ID}:AAsimulated-token-of-no-real-bot-000000"


@dataclass(frozen=True)
class Done:
    """What a method did: its ``result`` for the caller, the rest for the log."""

    result: Any
    chat: Chat | None = None
    messages: tuple[Message, ...] = ()
    digest: str = ""


@dataclass
class Simulator:
    """The state; ``server`` puts it on a port, ``people`` and ``membership`` are what people do to it."""

    clock: Clock = field(default_factory=Clock)
    token: str = TOKEN
    username: str = "earmark_simulated_bot"
    limits: Limits = field(default_factory=Limits)
    log: list[Call] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    commands: dict[tuple[str, str], list[dict[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bot = Person(BOT_ID, "Earmark", self.username, is_bot=True)
        self.chats = Chats(self.clock, self.bot)
        self.files = Files(self.clock, self.limits)
        self.pace = Pace(self.clock, self.limits)
        self.updates = Updates(self.clock, self.limits)
        self.queries = Queries(self.clock, self.limits)
        self.webhook = Webhook(self.clock, self.limits, self.updates)


Method = Callable[[Simulator, Params], Done]


def digest(content: dict[str, Any], files: tuple[bytes, ...] = ()) -> str:
    """Return a fingerprint of what people see: words, buttons and bytes, not ids."""
    seen = {k: content[k] for k in ("text", "caption", "reply_markup") if k in content}
    known = hashlib.sha256(json.dumps(seen, sort_keys=True).encode())
    for data in files:
        known.update(hashlib.sha256(data).digest())
    return known.hexdigest()[:16]
