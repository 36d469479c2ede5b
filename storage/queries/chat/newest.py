"""The newest questions of a chat that a word without a message can mean: ``/cancel`` and ``/retry``."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

NEWEST = """
SELECT v.id FROM episode_revision v
 WHERE v.chat_id = :chat AND v.owner_id = :owner AND EXISTS (
       SELECT 1 FROM generation_run r
        WHERE r.revision_id = v.id AND r.kind <> 'REFRESH' AND r.state = ANY(:states))
   AND NOT EXISTS (
       SELECT 1 FROM episode_revision later WHERE later.episode_id = v.episode_id AND later.number > v.number)
 ORDER BY v.id DESC LIMIT :limit
"""


async def newest(
    engine: AsyncEngine, *, chat_id: int, owner_id: int, states: Collection[str], limit: int = 20
) -> tuple[int, ...]:
    """Revisions that no later question replaced, with a run in one of ``states``; newest first."""
    async with snapshot(engine) as tx:
        rows = await tx.rows(NEWEST, chat=chat_id, owner=owner_id, states=list(states), limit=limit)
    return tuple(row["id"] for row in rows)
