"""Which blob is the audio of a finished revision: asked for every range of every player, so it reads no text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

MEDIA = """
SELECT audio.content -> :container ->> 'key' AS key, audio.created_at
  FROM episode_revision v JOIN stage_artifact audio ON audio.id = v.audio_artifact_id
 WHERE v.id = :revision AND v.owner_id = :owner AND v.state = 'AUDIO_READY'
"""


@dataclass(frozen=True)
class MediaView:
    key: str
    created_at: datetime


async def media(
    engine: AsyncEngine, revision_id: int, *, owner_id: int, container: Literal["mp3", "ogg"]
) -> MediaView | None:
    """None when the owner has no such finished revision."""
    async with snapshot(engine) as tx:
        row = await tx.row(MEDIA, revision=revision_id, owner=owner_id, container=container)
    return None if row is None else MediaView(**row)
