"""Where updates come in, by polling or by webhook: each becomes rows in one transaction of its own (rule CHT-1)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.telegram.inbound import Arrival, Aside, Me, Moved, Presence, Stranger, read
from pipeline.domain.errors import Contention
from pipeline.ports.clock import Clock
from storage.transactions.chat.arrive import Incoming, IncomingFile, arrive, knock, present, put_aside
from storage.transactions.outbox.restrict import activate, deactivate, keep_only, move_chat
from storage.tx import Tx, transaction

log = logging.getLogger(__name__)
CHANNEL = "telegram"
ALBUM_WAIT_S = 1.0  # after the last of an album: its members come as updates of their own


@dataclass
class Door:
    """``owner_id`` is whom allowed people speak for: one owner per installation."""

    engine: AsyncEngine
    me: Me
    owner_id: int
    clock: Clock

    async def begin(self) -> None:
        """When a process starts: who is no longer allowed is sent nothing more. Raises OSError, Contention."""
        async with transaction(self.engine) as tx:
            closed = await keep_only(tx, channel=CHANNEL, people=self.me.allowed, now=self.clock.now())
        if closed:
            log.warning("%s chats of people who are no longer allowed were closed", closed)

    async def take(self, raw: Any) -> None:
        """Store one update, whatever it is. When this returns it may be acknowledged.

        Raises:
            OSError, Contention: the database is away or busy; it has to come again.
        """
        text = json.dumps(raw, sort_keys=True, ensure_ascii=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        # One update that cannot be stored, for whatever reason, must not hold up those behind it.
        (trouble,) = await asyncio.gather(self._take(raw, text, digest), return_exceptions=True)
        if trouble is None:
            return
        if isinstance(trouble, OSError | Contention | asyncio.CancelledError):
            raise trouble
        log.error("update %s cannot be stored: %s", self._id(raw), type(trouble).__name__)
        kept = "" if isinstance(read(raw, self.me), Stranger) else text
        await self._put_aside(raw, kept, digest, f"{type(trouble).__name__} while it was stored")

    async def _take(self, raw: Any, text: str, digest: str) -> None:
        found = read(raw, self.me)
        if isinstance(found, Aside):
            if found.keep:
                log.warning("update %s is set aside: %s", self._id(raw), found.reason)
                await self._put_aside(raw, text if found.whole else "", digest, found.reason)
            return
        async with transaction(self.engine) as tx:
            await self._store(tx, found, self._id(raw), digest)

    async def _store(self, tx: Tx, found: Arrival | Stranger | Moved | Presence, id: str, digest: str) -> None:
        now = self.clock.now()
        match found:
            case Arrival():
                await arrive(
                    tx, incoming(found, id, digest), owner_id=self.owner_id, now=now, album_wait_s=ALBUM_WAIT_S
                )
            case Stranger():
                await knock(tx, channel=CHANNEL, chat=found.chat, person=found.person, now=now)
            case Moved():
                await move_chat(tx, channel=CHANNEL, old=found.old, new=found.new, now=now)
            case Presence():
                if (chat := await present(tx, channel=CHANNEL, chat=found.chat)) is not None:
                    await (activate(tx, chat_id=chat) if found.here else deactivate(tx, chat_id=chat, now=now))

    async def _put_aside(self, raw: Any, text: str, digest: str, reason: str) -> None:
        async with transaction(self.engine) as tx:
            await put_aside(tx, channel=CHANNEL, external_id=self._id(raw), digest=digest, raw=text, error=reason)

    def _id(self, raw: Any) -> str:
        """The update's id among all bots': another token counts anew."""
        number = raw.get("update_id") if isinstance(raw, dict) else None
        return f"{self.me.id}:{number if isinstance(number, int) else 'none'}"


def incoming(found: Arrival, id: str, digest: str) -> Incoming:
    return Incoming(
        channel=CHANNEL,
        external_id=id,
        digest=digest,
        chat=found.chat,
        grouped=found.grouped,
        payload=found.payload,
        message_ref=found.message_ref,
        album=found.album,
        files=tuple(IncomingFile(f.name, f.remote, f.size_bytes, f.reason) for f in found.files),
    )
