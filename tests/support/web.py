"""The web face on a real database, as the composition root would wire it, and a signed-in browser's requests."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.port import Outbound
from bot.channels.web import WebChannel
from bot.web.app import build
from bot.web.changes import Bell
from bot.web.deps import WebDeps, WebLimits
from bot.web.session import COOKIE, csrf_of
from pipeline.domain.source import SourceLimits
from storage.queries.episode.spoken import SpokenView
from storage.transactions.chat.deliver import deliver
from storage.transactions.chat.store_update import store_update
from storage.transactions.owner.first_owner import chat_of
from storage.transactions.owner.set_language import set_language
from storage.transactions.web.sign_in import offer_code
from storage.tx import transaction
from tests.support.blobs import MemoryBlobs
from tests.support.clock import StandingClock

HOST = "127.0.0.1:8321"
ORIGIN = f"http://{HOST}"
SMALL = SourceLimits(max_pdf_bytes=3 * 1024 * 1024, max_text_bytes=1024 * 1024)


@dataclass
class Person:
    owner_id: int
    chat_id: int
    token: str
    client: httpx.AsyncClient

    @property
    def csrf(self) -> str:
        return csrf_of(self.token)


@dataclass
class Face:
    """Everything around the application; ``outbox`` numbers what the gateway would send."""

    engine: AsyncEngine
    deps: WebDeps
    blobs: MemoryBlobs
    clock: StandingClock
    bell: Bell
    app: Any
    outbox: int = 0
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    def client(self, **options: Any) -> httpx.AsyncClient:
        made = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self.app), base_url=ORIGIN, headers={"Origin": ORIGIN}, **options
        )
        self.clients.append(made)
        return made

    async def person(self, *, language: str = "zh") -> Person:
        """A new owner with a web chat and a live session."""
        token = f"token-{uuid4()}"
        async with self.engine.begin() as c:
            owner = int(
                (
                    await c.execute(text("INSERT INTO owner (language) VALUES (:l) RETURNING id"), {"l": language})
                ).scalar_one()
            )
            await c.execute(
                text("INSERT INTO web_session (token_sha256, owner_id, expires_at) VALUES (:t, :o, :until)"),
                {
                    "t": hashlib.sha256(token.encode()).hexdigest(),
                    "o": owner,
                    "until": self.clock.now() + timedelta(days=1),
                },
            )
        async with transaction(self.engine) as tx:
            chat = await chat_of(tx, owner_id=owner, channel="web", external_id=f"web-{owner}")
        return Person(owner, chat, token, self.client(cookies={COOKIE: token}))

    async def code(self, owner_id: int) -> str:
        """A one-time code, as ``earmark signin`` prints it."""
        code = f"code-{uuid4()}"
        async with transaction(self.engine) as tx:
            await offer_code(
                tx,
                code_sha256=hashlib.sha256(code.encode()).hexdigest(),
                owner_id=owner_id,
                now=self.clock.now(),
                expires_at=self.clock.now() + timedelta(minutes=10),
            )
        return code

    async def say(self, person: Person, outbound: Outbound, *, message_id: int | None = None, subject: int = 1) -> int:
        """Record as the gateway does; rings the bell as the listener does."""
        self.outbox += 1
        async with transaction(self.engine) as tx:
            made = await deliver(
                tx,
                chat_id=person.chat_id,
                outbox_id=self.outbox,
                target_id=message_id,
                author="bot",
                kind=outbound.kind,
                subject_id=subject,
                args={},
                payload=WebChannel().shown(outbound),
            )
        self.bell.ring(person.chat_id)
        return made

    async def close(self) -> None:
        self.bell.close()
        for client in self.clients:
            await client.aclose()


def face(
    engine: AsyncEngine,
    *,
    sources: SourceLimits = SMALL,
    limits: WebLimits | None = None,
    hosts: frozenset[str] = frozenset({HOST}),
) -> Face:
    blobs, clock, bell = MemoryBlobs(), StandingClock(), Bell()

    async def keep(
        *, external_id: str, chat_id: int, payload: dict[str, Any], said: dict[str, Any] | None
    ) -> tuple[int, bool]:
        async with transaction(engine) as tx:
            kept = await store_update(
                tx, channel="web", external_id=external_id, chat_id=chat_id, payload=payload, said=said
            )
        bell.ring(chat_id)
        return kept

    async def language(*, owner_id: int, language: str) -> bool:
        async with transaction(engine) as tx:
            return await set_language(tx, owner_id=owner_id, language=language)

    deps = WebDeps(
        engine=engine, blobs=blobs, clock=clock, hosts=hosts, store_update=keep, set_language=language,
        vtt=_vtt, bell=bell, sources=sources, limits=limits or WebLimits(max_message_bytes=8 * 1024 * 1024),
    )  # fmt: skip
    return Face(engine, deps, blobs, clock, bell, build(deps))


def _vtt(view: SpokenView) -> str:
    return "WEBVTT\n\n" + "\n\n".join(s.text for s in view.sentences) + "\n"
