"""Outbox kind → query → screen: the one table that says which rows a message is made from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.port import Outbound
from bot.screens.answer import answer
from bot.screens.claim import claim
from bot.screens.find import find
from bot.screens.lost import lost
from bot.screens.note import note
from bot.screens.queue import queue
from bot.screens.receipt import receipt
from bot.screens.refresh import refresh
from bot.screens.settings import settings
from bot.screens.voice import transcript, voice
from bot.texts.words import Lang, lang_of
from pipeline.domain.errors import Defect
from storage.queries.chat.sending import sending_state
from storage.queries.episode.receipt import receipt as receipt_view
from storage.queries.episode.spoken import SpokenView, spoken
from storage.queries.owner.settings import settings as settings_view
from storage.queries.owner.zone import time_zone
from storage.queries.run.queue import queue as queue_view
from storage.queries.run.refresh import refresh_view
from storage.queries.source.library import found


class Renderer:
    """Reads at the time of sending, so that the newest state is what is said."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._screens: dict[str, Callable[[int, dict[str, Any], int, Lang], Awaitable[Outbound]]] = {
            "receipt": self._receipt,
            "voice": self._voice,
            "claim": self._claim,
            "transcript": self._transcript,
            "refresh": self._refresh,
            "lost": self._lost,
        }
        self._of_owner: dict[str, Callable[[dict[str, Any], int, Lang], Awaitable[Outbound]]] = {
            "queue": self._queue,
            "settings": self._settings,
            "find": self._find,
        }

    async def render(
        self, *, kind: str, subject_id: int | None, args: dict[str, Any], owner_id: int | None, language: str
    ) -> Outbound:
        """Raises MissingRow when what it is about is gone."""
        lang = lang_of(language)
        if kind == "note":
            return note(args["key"], args.get("values", {}), lang, file=args.get("file", ""))
        if kind == "answer":
            return answer(args.get("note"), lang)
        if owner_id is None:
            raise Defect(f"a stranger's chat is told notes only, not {kind!r}")
        if (of_owner := self._of_owner.get(kind)) is not None:
            return await of_owner(args, owner_id, lang)
        screen = self._screens.get(kind)
        if screen is None or subject_id is None:
            raise Defect(f"no screen for outbox kind {kind!r}")
        return await screen(subject_id, args, owner_id, lang)

    async def _queue(self, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        zone = ZoneInfo(await time_zone(self._engine, owner))
        return queue(await queue_view(self._engine, owner_id=owner), lang, zone=zone)

    async def _settings(self, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return settings(await settings_view(self._engine, owner_id=owner), lang)

    async def _find(self, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        terms = tuple(args["terms"])
        return find(args["words"], terms, await found(self._engine, owner_id=owner, terms=terms), lang)

    async def _receipt(self, revision: int, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return receipt(await receipt_view(self._engine, revision), lang)

    async def _voice(self, revision: int, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return voice(await self._spoken(revision, owner), lang)

    async def _claim(self, revision: int, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return claim(await self._spoken(revision, owner), int(args.get("index", 0)), lang)

    async def _transcript(self, revision: int, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return transcript(await self._spoken(revision, owner), lang)

    async def _refresh(self, run: int, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return refresh(await refresh_view(self._engine, run), lang)

    async def _lost(self, outbox: int, args: dict[str, Any], owner: int, lang: Lang) -> Outbound:
        return lost(outbox, args, await sending_state(self._engine, outbox), lang)

    async def _spoken(self, revision: int, owner: int) -> SpokenView:
        return await spoken(self._engine, revision, owner_id=owner)
