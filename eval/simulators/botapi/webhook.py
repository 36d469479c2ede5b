"""Delivery to the bot's own address: in order within a chat, again and again until it says 2xx."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.limits import Limits
from eval.simulators.botapi.updates import Update, Updates

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_PORTS = (443, 80, 88, 8443)
_FIRST_WAIT_S, _LONGEST_WAIT_S, _ANSWER_S = 1.0, 64.0, 60.0


@dataclass
class Webhook:
    """At most one address. Updates of one chat keep their order; a chat that is refused does not hold up another."""

    clock: Clock
    limits: Limits
    updates: Updates
    url: str = ""
    secret: str = ""
    last_error: tuple[float, str] | None = None
    _failures: dict[int, tuple[int, float]] = field(default_factory=dict)  # by lane: how many, next try
    _task: asyncio.Task[None] | None = None

    def set(self, url: str, secret: str) -> None:
        """Begin to deliver.

        Raises:
            ApiError: 400 for an address or a secret that Telegram does not take.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise refused("invalid webhook URL specified")
        if self.limits.webhook_https and parts.scheme != "https":
            raise refused("bad webhook: An HTTPS URL must be provided for webhook")
        if self.limits.webhook_ports and (parts.port or (443 if parts.scheme == "https" else 80)) not in _PORTS:
            raise refused("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
        if secret and not _SECRET.fullmatch(secret):
            long = len(secret) > 256
            raise refused("secret token is too long" if long else "secret token contains unallowed characters")
        self.url, self.secret, self.last_error, self._failures = url, secret, None, {}
        self.updates.hooked = True
        self.updates.interrupt("terminated by setWebhook request")
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._deliver())
        self.updates.arrived.set()

    def delete(self) -> None:
        self.url = self.secret = ""
        self.last_error, self.updates.hooked = None, False
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def info(self) -> dict[str, Any]:
        """Return the WebhookInfo object."""
        told: dict[str, Any] = {
            "url": self.url,
            "has_custom_certificate": False,
            "pending_update_count": len(self.updates.pending()),
            "max_connections": 40,
        }
        if self.last_error is not None:
            told |= {"last_error_date": int(self.last_error[0]), "last_error_message": self.last_error[1]}
        return {**told, "allowed_updates": sorted(self.updates.allowed)} if self.updates.allowed else told

    async def stop(self) -> None:
        if (task := self._task) is not None:
            self.delete()
            await asyncio.gather(task, return_exceptions=True)

    async def _deliver(self) -> None:
        async with aiohttp.ClientSession() as client:
            while True:
                self.updates.arrived.clear()
                due = self._due()
                for update in due:
                    await self._try(client, update)
                if not due:
                    await self._rest()

    def _due(self) -> list[Update]:
        """Return the first update of every chat whose wait is over."""
        firsts: dict[int, Update] = {}
        for update in self.updates.pending():
            firsts.setdefault(update.lane, update)
        now = self.clock.now()
        return [u for lane, u in firsts.items() if self._failures.get(lane, (0, 0.0))[1] <= now]

    async def _rest(self) -> None:
        lanes = {u.lane for u in self.updates.pending()}
        nexts: Iterable[float] = (at for lane, (_, at) in self._failures.items() if lane in lanes)
        wait = min(nexts, default=self.clock.now() + _LONGEST_WAIT_S) - self.clock.now()
        await self.clock.wait(self.updates.arrived.wait(), wait)

    async def _try(self, client: aiohttp.ClientSession, update: Update) -> None:
        headers = {SECRET_HEADER: self.secret} if self.secret else {}
        try:
            async with client.post(
                self.url, json=update.body, headers=headers, timeout=aiohttp.ClientTimeout(_ANSWER_S)
            ) as answer:
                wrong = "" if 200 <= answer.status < 300 else f"Wrong response from the webhook: {answer.status}"
        except (aiohttp.ClientError, TimeoutError) as error:
            wrong = f"Connection failed: {type(error).__name__}"
        if not wrong:
            self._failures.pop(update.lane, None)
            self.updates.remove(update)
            return
        failures, _ = self._failures.get(update.lane, (0, 0.0))
        wait = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0**failures)
        self._failures[update.lane] = failures + 1, self.clock.now() + wait
        self.last_error = self.clock.now(), wrong
