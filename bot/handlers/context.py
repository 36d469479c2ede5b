"""What handlers are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.errors import reason_of
from pipeline.commands.episode import Asking
from pipeline.domain.address import FetchLimits
from pipeline.domain.errors import ProductError
from pipeline.domain.source import SourceLimits
from pipeline.ports.blobs import BlobStore
from pipeline.ports.clock import Clock
from pipeline.ports.parse import Parser
from storage.tx import Tx

Act = Callable[[Tx], Awaitable[None]]  # what an update asks for, as a part of one transaction


def _goes_on(point: str) -> None:
    """No crash point is armed."""


@dataclass(frozen=True)
class Context:
    engine: AsyncEngine
    blobs: BlobStore
    clock: Clock
    asking: Asking
    sources: SourceLimits
    parser: Parser
    fetch_limits: FetchLimits = field(default_factory=FetchLimits)
    fetch_exempt: frozenset[str] = frozenset()
    crash: Callable[[str], None] = _goes_on

    def excuse(self, error: Exception, payload: dict[str, Any]) -> dict[str, Any]:
        """Args of the note that answers an update which failed: a key of bot/texts and its values."""
        key, values = reason_of(error) if isinstance(error, ProductError) else ("generic", {})
        names = [f["name"] for f in payload.get("files", []) if f.get("name")]
        return {"key": key, "values": values, "file": names[0] if len(names) == 1 else ""}
