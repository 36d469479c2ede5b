"""Telegram's limits: sizes, and how much may be sent in which time. Each can be set; ``flood=False`` turns pacing off.

The numbers of the pace are not documented as exact ("about one message per second"); these are what Telegram's
FAQ names. What is certain, and enforced: edits count like sends, and asking on during a ban makes it longer.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.errors import flooded

MIB = 1024 * 1024


@dataclass
class Limits:
    """Lengths are UTF-16 units unless the name says otherwise."""

    flood: bool = True
    chat_per_s: float = 1.0
    chat_burst: int = 3  # sends a quiet chat takes at once
    group_per_min: int = 20
    total_per_s: int = 30
    ban_s: float = 3.0  # of a first breach, on top of the wait that is due anyway
    longer_s: float = 2.0  # added by the first call during a ban; each further one adds twice as much
    ban_max_s: float = 86_400.0
    text_units: int = 4096
    caption_units: int = 1024
    raw_bytes: int = 32 * 1024
    entities: int = 100  # shown; the rest is dropped
    callback_bytes: int = 64
    answer_chars: int = 200
    query_age_s: float = 15.0
    upload_bytes: int = 50 * MIB
    photo_bytes: int = 10 * MIB
    download_bytes: int = 20 * MIB
    link_age_s: float = 3600.0
    update_age_s: float = 86_400.0
    delete_age_s: float = 48 * 3600.0
    names_lost: bool = False  # getFile's path has no name and no ending of the file
    group_privacy: bool = True  # in groups the bot sees commands, mentions and replies to it
    webhook_ports: bool = False  # only 443, 80, 88, 8443
    webhook_https: bool = False

    def change(self, values: Mapping[str, Any]) -> None:
        """Set some of them.

        Raises:
            KeyError: there is no such limit.
        """
        for name, value in values.items():
            if name not in self.__dataclass_fields__:
                raise KeyError(name)
            setattr(self, name, value)


@dataclass
class Ban:
    """Nothing goes out before ``until``; ``strikes`` counts the calls that asked during it."""

    until: float
    strikes: int = 0


@dataclass
class Pace:
    """Admits sends and edits, or answers 429. A ban of key 0 holds for every chat."""

    clock: Clock
    limits: Limits
    bans: dict[int, Ban] = field(default_factory=dict)
    _chat: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    _total: deque[float] = field(default_factory=deque)

    def admit(self, chat_id: int, *, group: bool, items: int = 1) -> None:
        """Count ``items`` sends to a chat.

        Raises:
            ApiError: 429 with retry_after, by a ban or because this one is too many.
        """
        now = self.clock.now()
        for key in (0, chat_id):
            self._banned(key, now)
        if self.limits.flood:
            wait_chat, wait_all = self._wait_s(chat_id, now, group, items), self._wait_total_s(now, items)
            if max(wait_chat, wait_all) > 0:
                self.ban(0 if wait_all > wait_chat else chat_id, max(wait_chat, wait_all) + self.limits.ban_s)
                raise flooded(self._left_s(0 if wait_all > wait_chat else chat_id, now))
        self._chat[chat_id].extend([now] * items)
        self._total.extend([now] * items)

    def ban(self, key: int, for_s: float) -> None:
        """Refuse a chat (0: every chat) for so long; a longer ban that stands stays."""
        until = self.clock.now() + for_s
        standing = self.bans.get(key)
        if standing is None or standing.until < until:
            self.bans[key] = Ban(until)

    def _banned(self, key: int, now: float) -> None:
        ban = self.bans.get(key)
        if ban is None:
            return
        if ban.until <= now:
            del self.bans[key]
            return
        ban.until = min(ban.until + self.limits.longer_s * 2.0**ban.strikes, now + self.limits.ban_max_s)
        ban.strikes += 1
        raise flooded(self._left_s(key, now))

    def _left_s(self, key: int, now: float) -> int:
        return max(1, math.ceil(self.bans[key].until - now - 1e-6))

    def _wait_s(self, chat_id: int, now: float, group: bool, items: int) -> float:
        """Seconds until the chat takes ``items`` more; an album into a quiet chat is always taken."""
        sent = self._chat[chat_id]
        while sent and sent[0] <= now - 60:
            sent.popleft()
        wait = 0.0
        if group and len(sent) + items > self.limits.group_per_min:
            wait = sent[max(0, len(sent) + items - self.limits.group_per_min - 1)] + 60 - now if sent else 0.0
        level = 0.0  # a bucket that leaks chat_per_s
        last = now
        for n, at in enumerate(sent):
            level = 1.0 if n == 0 else max(0.0, level - (at - last) * self.limits.chat_per_s) + 1.0
            last = at
        level = max(0.0, level - (now - last) * self.limits.chat_per_s) if sent else 0.0
        room = max(float(self.limits.chat_burst), float(items))
        return max(wait, (level + items - room) / self.limits.chat_per_s if level + items > room + 1e-6 else 0.0)

    def _wait_total_s(self, now: float, items: int) -> float:
        while self._total and self._total[0] <= now - 1:
            self._total.popleft()
        over = len(self._total) + items - self.limits.total_per_s
        return self._total[min(over, len(self._total)) - 1] + 1 - now if over > 0 and self._total else 0.0
