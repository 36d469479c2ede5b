"""Our own getUpdates loop: rows first, then the offset that confirms them (rule CHT-1).

Raw JSON, because a library that reads all updates of an answer at once loses all of them to one it cannot read.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import httpx

from bot.channels.telegram.door import Door
from bot.channels.telegram.wire import ALLOWED_UPDATES
from pipeline.domain.errors import Contention

log = logging.getLogger(__name__)
LONG_POLL_S = 25
REST_S = 2.0  # after trouble
OTHER_S = 5.0  # after 409: another program polls for this token
MAX_REST_S = 60.0


class Poller:
    """Asks for updates and hands each to the door.

    The offset confirms what is stored and is then forgotten: after a quiet week ids begin anew, perhaps lower, and an
    old offset would hide them. What comes twice is known by its id and its contents, never by being below a maximum.
    """

    def __init__(self, door: Door, client: httpx.AsyncClient, address: str) -> None:
        """``address`` is that of the method, with the token: it is never logged."""
        self._door, self._client, self._address = door, client, address
        self._offset: int | None = None

    async def serve(self, stopping: asyncio.Event) -> None:
        stop = asyncio.create_task(stopping.wait())
        try:
            while not stopping.is_set():
                asking = asyncio.create_task(self.once())
                await asyncio.wait({asking, stop}, return_when=asyncio.FIRST_COMPLETED)
                if not asking.done():
                    asking.cancel()
                    await asyncio.gather(asking, return_exceptions=True)
                    return
                if rest := asking.result():
                    await asyncio.wait({stop}, timeout=rest)
        finally:
            stop.cancel()

    async def once(self) -> float:
        """Ask, store, and note what to confirm. Returns how long to rest before asking again."""
        body: dict[str, Any] = {"timeout": LONG_POLL_S, "allowed_updates": list(ALLOWED_UPDATES)}
        if self._offset is not None:
            body["offset"] = self._offset
        try:
            answer = await self._client.post(self._address, json=body, timeout=LONG_POLL_S + 10)
            data = answer.json()
        except (httpx.HTTPError, ValueError) as error:  # the error's text may hold the address
            log.warning("telegram cannot be asked: %s", type(error).__name__)
            return REST_S
        if not isinstance(data, dict) or not data.get("ok"):
            return self._refused(answer.status_code, data if isinstance(data, dict) else {})
        self._offset = None
        updates = data.get("result") or []
        try:
            for update in updates:
                await self._door.take(update)
        except (OSError, Contention) as error:
            log.warning("updates wait: %s", type(error).__name__)
            return REST_S  # nothing of this answer is confirmed; what is stored is known when it comes again
        ids = [u["update_id"] for u in updates if isinstance(u, dict) and isinstance(u.get("update_id"), int)]
        if ids:
            self._offset = max(ids) + 1
        return 0.0

    def _refused(self, status: int, data: dict[str, Any]) -> float:
        if status == 409:
            log.warning("another program asks for the updates of this token, or a webhook is set; waiting")
            return OTHER_S
        wait = (data.get("parameters") or {}).get("retry_after") if isinstance(data.get("parameters"), dict) else None
        log.warning("telegram refuses updates: %s", status)
        return min(float(wait), MAX_REST_S) if isinstance(wait, int | float) else OTHER_S if status == 401 else REST_S
