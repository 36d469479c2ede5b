"""What the receipt of one revision shows, from one consistent read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot


@dataclass(frozen=True)
class StageView:
    """``status``: ``next | now | done | bad``. ``facts`` are numbers and keys for bot/texts, by stage:

    fetch: bytes, host, moved, robots · read: chars, quality, pages?, notes[] · split: chunks · find: passages,
    sections, whole_text · write: sentences, left_out · check: supported, dropped · speak: segments, seconds ·
    publish: duration_ms, lufs, bytes.
    ``reused`` is True when an earlier result was found. ``part``/``parts`` count within a running stage.
    """

    stage: str
    status: str
    facts: dict[str, Any] = field(default_factory=dict)
    part: int | None = None
    parts: int | None = None


@dataclass(frozen=True)
class ReceiptView:
    revision_id: int
    number: int
    source_id: int
    input_type: str
    name: str
    origin: str | None
    hint: str | None  # words the link points at
    size_bytes: int
    title: str  # of the version; "" before it is read
    pages: int | None
    question: str | None
    question_by: str | None  # person | points | default
    ask_until: datetime | None
    revision_state: str
    run_id: int | None  # of the GENERATE run
    run_state: str | None
    attempts: int
    cancel_requested: bool
    error_reason: str | None
    error_values: dict[str, Any]
    decline: dict[str, Any] | None
    superseded: bool  # a later revision of the same episode exists
    outdated: bool  # the source has a newer version than the one this rests on
    stages: tuple[StageView, ...]
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: int | None


STAGES = ("fetch", "read", "split", "find", "write", "check", "speak", "publish")

REVISION = """
SELECT v.id, v.number, v.question, v.question_by, v.ask_until, v.state AS revision_state, v.decline, v.duration_ms,
       s.id AS source_id, s.input_type, s.name, s.origin, s.hint, coalesce(s.size_bytes, 0) AS size_bytes, s.note,
       v.source_version_id IS NOT NULL AND v.source_version_id <> s.version_id AS outdated,
       coalesce(sv.title, '') AS title, sv.pages,
       r.id AS run_id, r.state AS run_state, r.attempts, r.cancel_requested, r.error_reason, r.error_values,
       coalesce(r.started_at, i.started_at) AS started_at, r.finished_at,
       i.state AS intake_state, i.error_reason AS intake_reason, i.error_values AS intake_values,
       EXISTS (SELECT 1 FROM episode_revision later WHERE later.episode_id = v.episode_id AND later.number > v.number)
         AS superseded
  FROM episode_revision v
  JOIN episode e ON e.id = v.episode_id
  JOIN source s ON s.id = e.source_id
  LEFT JOIN source_version sv ON sv.id = s.version_id
  LEFT JOIN generation_run r ON r.revision_id = v.id AND r.kind = 'GENERATE'
  LEFT JOIN generation_run i ON i.revision_id = v.id AND i.kind = 'INTAKE'
 WHERE v.id = :revision
"""
EVENTS = """
SELECT e.kind, e.stage, e.data FROM run_event e JOIN generation_run r ON r.id = e.run_id
 WHERE r.revision_id = :revision AND r.kind <> 'REFRESH' AND e.stage IS NOT NULL
 ORDER BY r.id, e.seq
"""


async def receipt(engine: AsyncEngine, revision_id: int) -> ReceiptView:
    """Raises MissingRow when there is no such revision."""
    async with snapshot(engine) as tx:
        row = await tx.one(REVISION, revision=revision_id)
        events = await tx.rows(EVENTS, revision=revision_id)
    intake_failed = row["intake_state"] == "FAILED" and row["run_state"] in (None, "DEFERRED")
    run_state = "FAILED" if intake_failed else row["run_state"]
    return ReceiptView(
        revision_id=row["id"],
        number=row["number"],
        source_id=row["source_id"],
        input_type=row["input_type"],
        name=row["name"],
        origin=row["origin"],
        hint=row["hint"],
        size_bytes=row["size_bytes"],
        title=row["title"],
        pages=row["pages"],
        question=row["question"],
        question_by=row["question_by"],
        ask_until=row["ask_until"],
        revision_state=row["revision_state"],
        run_id=row["run_id"],
        run_state=run_state,
        attempts=row["attempts"] or 0,
        cancel_requested=bool(row["cancel_requested"]),
        error_reason=row["intake_reason"] if intake_failed else row["error_reason"],
        error_values=(row["intake_values"] if intake_failed else row["error_values"]) or {},
        decline=row["decline"],
        superseded=row["superseded"],
        outdated=bool(row["outdated"]),
        stages=stages_of(events, failed=run_state == "FAILED"),
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        duration_ms=row["duration_ms"],
    )


def stages_of(events: Sequence[Mapping[str, Any]] | Iterable[Any], *, failed: bool) -> tuple[StageView, ...]:
    """Fold stage events, oldest first, into one row per stage; a later attempt overwrites an earlier one."""
    seen: dict[str, StageView] = {}
    for event in events:
        stage, kind, data = event["stage"], event["kind"], dict(event["data"])
        before = seen.get(stage)
        if kind == "stage_started" and (before is None or before.status != "done"):
            seen[stage] = StageView(stage, "now")
        elif kind == "stage_progress" and (before is None or before.status != "done"):
            seen[stage] = StageView(stage, "now", part=data.get("part"), parts=data.get("parts"))
        elif kind == "stage_done":
            seen[stage] = StageView(stage, "done", facts=data)
        elif kind == "stage_failed":
            seen[stage] = StageView(stage, "bad", facts=data)
    return tuple(
        StageView(s.stage, "bad", s.facts) if failed and s.status == "now" else s
        for s in (seen.get(stage, StageView(stage, "next")) for stage in STAGES)
    )
