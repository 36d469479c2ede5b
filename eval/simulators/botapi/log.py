"""What was asked of the simulator, and what came of it; and the two questions a test has about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Outcome = Literal["done", "refused", "lost", "dropped"]


@dataclass(frozen=True)
class Call:
    """One call.

    ``outcome``: ``done`` (and answered) · ``refused`` (an error, nothing happened) · ``lost`` (it happened, and the
    caller was not told so) · ``dropped`` (nothing happened, and no answer). ``digest`` is of what people see.
    """

    number: int  # from 1, in order of effect
    at: float  # Unix seconds on the simulator's clock, of the effect
    method: str
    chat_id: int | None
    group: bool
    message_ids: tuple[int, ...]
    outcome: Outcome
    status: int  # HTTP, 0 without an answer
    description: str
    digest: str

    @property
    def happened(self) -> bool:
        return self.outcome in ("done", "lost")

    @property
    def sends(self) -> bool:
        """Whether it put a new message into a chat."""
        return self.method.startswith("send") and self.method != "sendChatAction"

    @property
    def paced(self) -> bool:
        """Whether it counts against the limits: new messages and edits do."""
        return self.sends or self.method.startswith("edit")


@dataclass(frozen=True)
class Breach:
    """More than ``allowed`` within ``window_s``, beginning at call number ``first``."""

    scope: str  # "chat 42", "group -100…", "all"
    count: int
    allowed: int
    window_s: float
    first: int


def pace(
    log: Iterable[Call],
    *,
    chat_per_s: int = 1,
    group_per_min: int = 20,
    total_per_s: int = 30,
    slack_s: float = 0.02,
) -> list[Breach]:
    """Every window in which more happened than the limits say; empty is as it should be.

    Args:
        slack_s: how much shorter than the limit a window may be, for two clocks that do not tick together.
    """
    calls = [c for c in log if c.paced and c.happened for _ in range(max(1, len(c.message_ids)))]
    chats: dict[int, list[Call]] = defaultdict(list)
    for call in calls:
        chats[call.chat_id or 0].append(call)
    found = _breaches("all", calls, total_per_s, 1 - slack_s)
    for chat_id, own in sorted(chats.items()):
        # An album is one act that nobody can send more slowly.
        acts = list({c.number: c for c in own}.values())
        found += _breaches(f"chat {chat_id}", acts, chat_per_s, 1 - slack_s)
        if own[0].group:
            found += _breaches(f"group {chat_id}", own, group_per_min, 60 - slack_s)
    return found


def _breaches(scope: str, calls: Sequence[Call], allowed: int, window_s: float) -> list[Breach]:
    """One breach for windows that overlap, with the count of the densest."""
    found: list[Breach] = []
    begin, last = 0, -1
    for end, call in enumerate(calls):
        while call.at - calls[begin].at >= window_s:
            begin += 1
        if (count := end - begin + 1) <= allowed:
            continue
        if found and begin <= last:
            found[-1] = replace(found[-1], count=max(found[-1].count, count))
        else:
            found.append(Breach(scope, count, allowed, window_s, calls[begin].number))
        last = end
    return found


def doubled(log: Iterable[Call]) -> list[tuple[Call, ...]]:
    """Messages that reached a chat more than once with the same content, each with all its calls."""
    sent: dict[tuple[int | None, str, str], list[Call]] = defaultdict(list)
    for call in log:
        if call.sends and call.happened:
            sent[call.chat_id, call.method, call.digest].append(call)
    return [tuple(calls) for calls in sent.values() if len(calls) > 1]
