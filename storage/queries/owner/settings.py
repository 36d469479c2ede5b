"""What the card of settings shows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

# The voice is a setting of the installation; what was last spoken with says which one it is in effect.
SETTINGS = """
SELECT o.time_zone,
       (SELECT audio.content->>'voice' FROM episode_revision v
          JOIN stage_artifact audio ON audio.id = v.audio_artifact_id
         WHERE v.owner_id = o.id AND v.state = 'AUDIO_READY' ORDER BY v.id DESC LIMIT 1) AS voice
  FROM owner o WHERE o.id = :owner
"""


@dataclass(frozen=True)
class SettingsView:
    """``time_zone`` is an IANA name; ``voice`` that of the newest voice note, None before there is one."""

    time_zone: str
    voice: str | None


async def settings(engine: AsyncEngine, *, owner_id: int) -> SettingsView:
    """Raises MissingRow when there is no such owner."""
    async with snapshot(engine) as tx:
        return SettingsView(**dict((await tx.one(SETTINGS, owner=owner_id)).items()))
