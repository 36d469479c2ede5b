"""What the pages are given by the composition root. No setting is read here and no vendor is named."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, Protocol

from fastapi import Path
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.web.changes import Bell
from pipeline.domain.source import SourceLimits
from pipeline.ports.blobs import BlobStore
from pipeline.ports.clock import Clock
from storage.queries.episode.spoken import SpokenView

MAX_ID = 2**63 - 1  # of a row: a larger number in an address is no row's
RowId = Annotated[int, Path(ge=0, le=MAX_ID)]


class StoreUpdate(Protocol):
    """storage/transactions/chat/store_update.py in a transaction of its own, for the channel ``web``."""

    async def __call__(
        self, *, external_id: str, chat_id: int, payload: dict[str, Any], said: dict[str, Any] | None
    ) -> tuple[int, bool]:
        """Inbox id, and whether it is new. Raises RequestConflict."""
        ...


class SetLanguage(Protocol):
    async def __call__(self, *, owner_id: int, language: str) -> bool:
        """True when it changed."""
        ...


@dataclass(frozen=True)
class Webhook:
    """A messenger that calls us: ``take`` stores an update; False when it shall come again later."""

    secret: str
    take: Callable[[Any], Awaitable[bool]]


@dataclass(frozen=True)
class WebLimits:
    """Sizes in bytes; of one request unless said otherwise."""

    max_files: int = 10
    max_message_bytes: int = 200 * 1024 * 1024
    max_text_chars: int = 2_000_000  # of the field itself; long text is sent as an attachment
    paste_as_attachment_chars: int = 200  # from here on a paste leaves the field free for the question
    thread_messages: int = 60
    far_behind: int = 300  # changes; a stream further behind gets a snapshot (rule RUN-7)
    heartbeat_s: float = 15.0
    session: timedelta = field(default_factory=lambda: timedelta(days=30))


@dataclass(frozen=True)
class WebDeps:
    """``hosts`` are the allowed Host headers, with port, in lower case (rule SEC-5).

    ``model`` names the connected writer, None when scripts are excerpts. ``secure_cookie`` belongs to https.
    """

    engine: AsyncEngine
    blobs: BlobStore
    clock: Clock
    hosts: frozenset[str]
    store_update: StoreUpdate
    set_language: SetLanguage
    vtt: Callable[[SpokenView], str]
    bell: Bell
    sources: SourceLimits = field(default_factory=SourceLimits)
    limits: WebLimits = field(default_factory=WebLimits)
    model: str | None = None
    secure_cookie: bool = False
    webhook: Webhook | None = None
