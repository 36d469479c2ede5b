"""The chat process put together: web application, inbox, gateways, worker, background, under one roof."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from bot import inbox
from bot.channels.web import WebChannel
from bot.gateway import Gateway
from bot.handlers.context import Context
from bot.screens.render import Renderer
from bot.telegram import TelegramService
from bot.texts import episode as words
from bot.texts.words import lang_of
from bot.web.app import build
from bot.web.changes import Bell
from bot.web.deps import WebDeps, Webhook, WebLimits
from pipeline.commands.episode import Asking
from pipeline.domain.audio import Cue
from pipeline.domain.errors import Contention
from pipeline.domain.run import RunLimits
from pipeline.domain.script import Role, ScriptDoc, Sentence
from pipeline.render.transcript import webvtt
from pipeline.settings import Settings
from pipeline.wiring import House, holder_name, open_house, random_fraction, random_id, run_limits
from pipeline.worker.background import (
    announce_due,
    fetch_one_picture,
    index_one_batch,
    promote_questions,
    put_off_full_days,
)
from pipeline.worker.loop import Loop, every
from storage.queries.episode.spoken import SpokenView
from storage.transactions.chat.store_update import store_update
from storage.transactions.owner.first_owner import chat_of, first_owner
from storage.transactions.owner.set_language import set_language
from storage.transactions.web.sign_in import offer_code
from storage.tx import transaction

log = logging.getLogger(__name__)
CODE_LIVES = timedelta(hours=1)
SUPERVISE_S = 1.0
COLLECT_S = 3600.0


def asking_of(house: House) -> Asking:
    return Asking(default_after_s=house.settings.ask_default_after_s, settings=house.run_settings())


def vtt_of(view: SpokenView) -> str:
    """The transcript of a finished revision as WebVTT."""
    script = ScriptDoc(
        question=view.question,
        title=view.source.title,
        writer=view.writer,
        language="zh",
        sentences=tuple(Sentence(s.index, Role(s.role), s.text) for s in view.sentences),
        claims=(),
    )
    return webvtt(tuple(Cue(s.index, s.start_ms, s.end_ms) for s in view.sentences), script).decode()


def loop_of(house: House, *, only_revision: int | None = None) -> Loop:
    return Loop(
        tools=house.tools,
        wake=house.listener,
        holder=holder_name(),
        limits=run_limits(house.settings),
        new_id=random_id,
        jitter=random_fraction,
        only_revision=only_revision,
    )


async def owner_of(house: House, *, channel: str, external_id: str) -> tuple[int, int]:
    """The owner of this installation and their chat in ``channel``; both made on the first start."""
    async with transaction(house.engine) as tx:
        owner = await first_owner(tx, language=house.settings.default_language)
        return owner, await chat_of(tx, owner_id=owner, channel=channel, external_id=external_id)


async def one_time_address(house: House, *, base: str) -> str:
    """A fresh sign-in address, good once and for an hour (rule SEC-5)."""
    owner, _ = await owner_of(house, channel="web", external_id="main")
    code, now = secrets.token_urlsafe(24), house.clock.now()
    async with transaction(house.engine) as tx:
        await offer_code(
            tx,
            code_sha256=hashlib.sha256(code.encode()).hexdigest(),
            owner_id=owner,
            now=now,
            expires_at=now + CODE_LIVES,
        )
    return f"{base}/signin?code={code}"


def web_deps(house: House, bell: Bell, *, port: int, webhook: Webhook | None = None) -> WebDeps:
    async def store(
        *, external_id: str, chat_id: int, payload: dict[str, Any], said: dict[str, Any] | None
    ) -> tuple[int, bool]:
        async with transaction(house.engine) as tx:
            return await store_update(
                tx, channel="web", external_id=external_id, chat_id=chat_id, payload=payload, said=said
            )

    async def language(*, owner_id: int, language: str) -> bool:
        async with transaction(house.engine) as tx:
            return await set_language(tx, owner_id=owner_id, language=language)

    hosts = {h if ":" not in h else f"[{h}]" for h in house.settings.allowed_hosts()}
    public = urlsplit(house.settings.public_url).netloc.lower()
    return WebDeps(
        engine=house.engine,
        blobs=house.blobs,
        clock=house.clock,
        hosts=frozenset(hosts | {f"{h}:{port}" for h in hosts} | ({public} if public else set())),
        store_update=store,
        set_language=language,
        vtt=vtt_of,
        bell=bell,
        sources=house.tools.limits.source,
        limits=WebLimits(session=timedelta(days=house.settings.web_session_days)),
        webhook=webhook,
    )


class Server(uvicorn.Server):
    """uvicorn without its own signal handlers (the process has one way to stop), and with a sign that it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.serving = asyncio.Event()

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.serving.set()

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]  # uvicorn leaves it untyped
        yield


@contextlib.asynccontextmanager
async def running(settings: Settings, stopping: asyncio.Event) -> AsyncIterator[tuple[House, str]]:
    """Everything of ``earmark up``. Yields the house and the base address once the page is served."""
    async with open_house(settings) as house:
        bell = Bell()
        owner, _ = await owner_of(house, channel="web", external_id="main")
        telegram = TelegramService(house, owner)
        secret = settings.telegram_webhook_secret
        webhook = None if secret is None else Webhook(secret.get_secret_value(), telegram.take)
        socket = _bound(settings)
        port = socket.getsockname()[1]
        config = uvicorn.Config(
            build(web_deps(house, bell, port=port, webhook=webhook)),
            log_level="warning",
            access_log=False,
            lifespan="off",
        )
        server = Server(config)
        loop = loop_of(house)
        tasks: list[asyncio.Task[Any]] = [
            asyncio.create_task(server.serve(sockets=[socket]), name="web"),
            *(asyncio.create_task(work, name=name) for name, work in _services(house, bell, stopping)),
        ]
        if settings.telegram_token is not None:
            tasks.append(asyncio.create_task(telegram.serve(stopping), name="telegram"))
        if settings.worker_concurrency:
            worker = loop.run(concurrency=settings.worker_concurrency)
            tasks.append(asyncio.create_task(worker, name="worker"))
        try:
            await server.serving.wait()
            host = f"[{settings.web_host}]" if ":" in settings.web_host else settings.web_host
            watch = asyncio.create_task(_first_failure(tasks, stopping), name="watch")
            yield house, f"http://{host}:{port}"
            watch.cancel()
        finally:
            stopping.set()
            loop.stopping.set()
            house.listener.release()  # nobody sits out the rest of a scan interval
            bell.close()
            server.should_exit = True
            await asyncio.wait(tasks, timeout=10)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _services(house: House, bell: Bell, stopping: asyncio.Event) -> list[tuple[str, Any]]:
    tools = house.tools
    context = Context(
        house.engine,
        house.blobs,
        house.clock,
        asking_of(house),
        tools.limits.source,
        tools.parser,
        house.settings.fetch_limits(),
        house.settings.fetch_exempt(),
        tools.crash,
    )
    gateway = Gateway(
        house.engine,
        WebChannel(),
        Renderer(house.engine),
        clock=house.clock,
        wake=house.listener,
        crash=house.tools.crash,
    )
    default = words.POINTS(lang_of(house.settings.default_language))

    async def promote() -> None:
        await promote_questions(house.tools, default_question=default)
        await put_off_full_days(house.tools)

    async def index() -> None:
        more = True
        while more and not stopping.is_set():
            more = await index_one_batch(house.tools)

    async def pictures() -> None:
        more = True
        while more and not stopping.is_set():
            more = await fetch_one_picture(tools)

    async def announce() -> None:
        await announce_due(tools, house.listener, lease_s=RunLimits().delivery_s)

    return [
        ("inbox", inbox.serve(context, house.listener, _channels(house.settings), stopping)),
        ("gateway", gateway.serve(stopping)),
        ("bell", _ring(house, bell, stopping)),
        ("pictures", every(3.0, house.listener, pictures, stopping)),
        ("dispatcher", every(1.0, house.listener, announce, stopping)),
        ("questions", every(5.0, house.listener, promote, stopping)),
        ("index", every(5.0, house.listener, index, stopping)),
        ("database", _supervise(house, stopping)),
        ("collector", _collect(house, stopping)),
    ]


def _channels(settings: Settings) -> list[str]:
    return ["web"] if settings.telegram_token is None else ["web", "telegram"]


async def _ring(house: House, bell: Bell, stopping: asyncio.Event) -> None:
    while not stopping.is_set():
        await house.listener.wait(5.0)
        bell.ring()


async def _supervise(house: House, stopping: asyncio.Event) -> None:
    """Start the embedded server again when it was killed; open pools find it on the same port."""
    while not stopping.is_set():
        if house.server is not None and await asyncio.to_thread(house.server.ensure):
            log.warning("the embedded database was gone and has been started again")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), SUPERVISE_S)


async def _collect(house: House, stopping: asyncio.Event) -> None:
    """Once an hour, and not at every announcement, remove bytes that no row names (rule AUD-4)."""
    while not stopping.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), COLLECT_S)
            return
        try:
            removed = await house.blobs.collect(grace_s=house.settings.blobs_grace_h * 3600)
        except (OSError, Contention) as error:
            log.warning("collecting waits: %s", type(error).__name__)
        else:
            log.info("%s stored objects that nothing named were removed", removed)


async def _first_failure(tasks: list[asyncio.Task[Any]], stopping: asyncio.Event) -> None:
    """A service that ends by itself takes the process down in good order: half a product helps nobody."""
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        if not stopping.is_set() and not task.cancelled() and (error := task.exception()):
            log.error("%s stopped", task.get_name(), exc_info=error)
    stopping.set()


def _bound(settings: Settings) -> Any:
    import socket as sockets

    family = sockets.AF_INET6 if ":" in settings.web_host else sockets.AF_INET
    listening = sockets.socket(family, sockets.SOCK_STREAM)
    listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    listening.bind((settings.web_host, settings.web_port))
    listening.listen(128)
    return listening
