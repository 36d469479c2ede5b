"""What a refresh of a page came to, from one consistent read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot

REFRESH = """
SELECT r.id AS run_id, r.revision_id, r.state, r.error_reason, r.error_values, s.name, s.origin,
       coalesce(sv.title, '') AS title, v.question IS NOT NULL AS has_question,
       (SELECT e.data FROM run_event e WHERE e.run_id = r.id AND e.kind = 'refreshed'
         ORDER BY e.seq DESC LIMIT 1) AS data
  FROM generation_run r
  JOIN episode_revision v ON v.id = r.revision_id
  JOIN source s ON s.id = r.source_id
  LEFT JOIN source_version sv ON sv.id = s.version_id
 WHERE r.id = :run
"""


@dataclass(frozen=True)
class RefreshView:
    """``result`` is ``same | changed | unsteady``, or None while it runs or when it failed."""

    run_id: int
    revision_id: int
    state: str
    title: str
    name: str
    origin: str | None
    has_question: bool
    result: str | None
    came: int = 0
    went: int = 0
    error_reason: str | None = None
    error_values: dict[str, Any] = field(default_factory=dict)


async def refresh_view(engine: AsyncEngine, run_id: int) -> RefreshView:
    """Raises MissingRow when there is no such run."""
    async with snapshot(engine) as tx:
        row = await tx.one(REFRESH, run=run_id)
    data = row["data"] or {}
    return RefreshView(
        run_id=row["run_id"],
        revision_id=row["revision_id"],
        state=row["state"],
        title=row["title"],
        name=row["name"],
        origin=row["origin"],
        has_question=row["has_question"],
        result=data.get("result"),
        came=data.get("came", 0),
        went=data.get("went", 0),
        error_reason=row["error_reason"],
        error_values=row["error_values"] or {},
    )
