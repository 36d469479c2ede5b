"""Files of stored updates are fetched before they are handled: tried again while that may help, then said (CHT-9)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramBadRequest, TelegramRetryAfter
from aiohttp import ClientError
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.ports.blobs import BlobStore
from pipeline.ports.clock import Clock
from storage.transactions.chat.keep_file import (
    give_file_up,
    keep_file,
    owner_of_file,
    retry_all,
    take_due,
    try_later,
)
from storage.tx import Row, transaction

log = logging.getLogger(__name__)
TRIES = 5
FIRST_REST_S = 2.0  # doubled after each try
TIMEOUT_S = 120
AT_ONCE = 4


class TooBig(Exception):
    """More bytes came than a file may have."""


@dataclass
class Fetcher:
    """``limit_bytes`` ends a download that says it is smaller than it is; None: no limit."""

    engine: AsyncEngine
    bot: Bot
    blobs: BlobStore
    clock: Clock
    limit_bytes: int | None

    async def begin(self) -> None:
        """When a process starts. Raises OSError, Contention."""
        async with transaction(self.engine) as tx:
            await retry_all(tx, now=self.clock.now())

    async def fetch_due(self) -> int:
        """Fetch what is due; how many files were tried."""
        now = self.clock.now()
        async with transaction(self.engine) as tx:
            due = await take_due(tx, now=now, again=now + timedelta(seconds=TIMEOUT_S + 30), limit=AT_ONCE)
        for row in due:
            await self._fetch(row)
        return len(due)

    async def _fetch(self, row: Row) -> None:
        try:
            data = await self._bytes(str(row["remote"]))
        except TooBig:
            await self._give_up(row, "too_big_for_chat")
        except TelegramBadRequest as error:
            big = "too big" in error.message.lower()
            await self._give_up(row, "too_big_for_chat" if big else "download_failed")
        except TelegramRetryAfter as error:
            await self._later(row, float(error.retry_after))
        except (TelegramAPIError, ClientDecodeError, ClientError, TimeoutError, OSError) as error:
            # The text of an error may hold the address with the token: only its kind is said.
            log.warning("file %s of update %s: %s", row["id"], row["update_id"], type(error).__name__)
            if row["tries"] >= TRIES:
                await self._give_up(row, "download_failed")
            else:
                await self._later(row, FIRST_REST_S * 2 ** (row["tries"] - 1))
        else:
            await self._keep(row, data)

    async def _bytes(self, remote: str) -> bytes:
        file = await self.bot.get_file(remote, request_timeout=TIMEOUT_S)
        path = file.file_path or ""
        if self.bot.session.api.is_local:
            local = await self.bot.download_file(path)
            return local.read() if local is not None else b""
        data = bytearray()
        url = self.bot.session.api.file_url(self.bot.token, path)
        async for chunk in self.bot.session.stream_content(url, timeout=TIMEOUT_S, raise_for_status=True):
            data += chunk
            if self.limit_bytes is not None and len(data) > self.limit_bytes:
                raise TooBig
        return bytes(data)

    async def _keep(self, row: Row, data: bytes) -> None:
        async with transaction(self.engine) as tx:
            owner = await owner_of_file(tx, row["id"])
        blob = await self.blobs.put(data, owner_id=owner)
        async with transaction(self.engine) as tx:
            await keep_file(tx, row["id"], key=blob.key, sha256=blob.sha256, size_bytes=len(data))

    async def _later(self, row: Row, rest_s: float) -> None:
        async with transaction(self.engine) as tx:
            await try_later(tx, row["id"], again=self.clock.now() + timedelta(seconds=rest_s))

    async def _give_up(self, row: Row, reason: str) -> None:
        async with transaction(self.engine) as tx:
            await give_file_up(tx, row["id"], reason=reason)
