"""One attempt at one run: what every node needs, and the one way to say where it stands.

A node is load → stage → save. What it saves is keyed by its inputs, so that a node that runs twice, or in a later
attempt, finds what is there. LangGraph comes with the first branch that a model decides; this path has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline.domain.audio import AudioLimits
from pipeline.domain.evidence import PackLimits
from pipeline.domain.run import Stage
from pipeline.domain.script import ScriptLimits
from pipeline.domain.source import SourceLimits
from pipeline.ports.blobs import BlobStore
from pipeline.ports.clock import Clock
from pipeline.ports.embed import Embedder
from pipeline.ports.fetch import Fetcher
from pipeline.ports.media import MediaCodec
from pipeline.ports.ocr import Recogniser
from pipeline.ports.parse import Parser
from pipeline.ports.tts import Synthesizer
from pipeline.render.speech_text import Lexicon
from storage.transactions.run.event import guarded_event
from storage.tx import statement


@dataclass(frozen=True)
class Limits:
    source: SourceLimits = field(default_factory=SourceLimits)
    pack: PackLimits = field(default_factory=PackLimits)
    script: ScriptLimits = field(default_factory=ScriptLimits)
    audio: AudioLimits = field(default_factory=AudioLimits)
    day_budget_ms: int = 0  # listening time of one day; 0: days are not limited
    embed_first: int = 200  # best lexical chunks that get vectors before a run goes on (rule CHK-3)
    embed_batch: int = 32


@dataclass(frozen=True)
class Tools:
    """Everything outside, behind its port; made once by wiring."""

    engine: AsyncEngine
    blobs: BlobStore
    clock: Clock
    fetcher: Fetcher
    parser: Parser
    recogniser: Recogniser
    embedder: Embedder
    tts: Synthesizer
    media: MediaCodec
    voice: str
    lexicon: Lexicon
    limits: Limits
    crash: Callable[[str], None]


@dataclass
class Attempt:
    """``stage`` is where the attempt stands: whoever ends it says so on the receipt."""

    tools: Tools
    run_id: int
    fence: int
    stage: Stage = Stage.READ

    async def enter(self, stage: Stage) -> None:
        """Say on the receipt that ``stage`` has begun. Raises Contention when the run is no longer ours."""
        self.stage = stage
        async with statement(self.tools.engine) as tx:
            await guarded_event(
                tx, run_id=self.run_id, fence=self.fence, kind="stage_started", stage=stage, passing=True
            )

    async def done(self, stage: Stage, facts: dict[str, Any]) -> None:
        """Say what ``stage`` gave, where no other row is written with it."""
        async with statement(self.tools.engine) as tx:
            await guarded_event(tx, run_id=self.run_id, fence=self.fence, kind="stage_done", stage=stage, data=facts)

    async def progress(self, part: int, parts: int) -> None:
        async with statement(self.tools.engine) as tx:
            await guarded_event(
                tx,
                run_id=self.run_id,
                fence=self.fence,
                kind="stage_progress",
                stage=self.stage,
                data={"part": part, "parts": parts},
                passing=True,
            )


def fingerprint(**inputs: Any) -> str:
    """SHA-256 over everything that decides a result (rule RUN-8)."""
    body = json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=_plain)
    return hashlib.sha256(body.encode()).hexdigest()


def _plain(value: Any) -> Any:
    return asdict(value)


def sha256_of(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
