"""What a ledger must be after anything at all happened to it, by SQL alone: each breach is a row with its reason.

Rules RUN-1, RUN-4, RUN-7, RUN-8, TTS-1, MDL-4, PUB-2, CHT-2. An empty result is what is wanted; the number of rows
that were looked at is told beside it, so that an empty ledger cannot pass for a clean one.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

_ENDED = "('SUCCEEDED', 'FAILED', 'CANCELLED')"
BREACHES: dict[str, str] = {
    "a run that never ended": f"SELECT id, state FROM generation_run WHERE state NOT IN {_ENDED}",
    "a submission without its run": """
        SELECT s.id, s.request_key FROM source s
         WHERE NOT EXISTS (SELECT 1 FROM generation_run r WHERE r.source_id = s.id AND r.kind = 'GENERATE')""",
    "a run that succeeded and left nothing": """
        SELECT r.id, v.state FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id
          JOIN episode e ON e.id = v.episode_id
         WHERE r.kind = 'GENERATE' AND r.state = 'SUCCEEDED' AND v.state NOT IN ('STOPPED', 'HELD')
           AND e.published_revision_id IS DISTINCT FROM v.id""",
    "a published pointer without its audio": """
        SELECT e.id, v.state FROM episode e JOIN episode_revision v ON v.id = e.published_revision_id
         WHERE v.state <> 'AUDIO_READY' OR v.audio_artifact_id IS NULL""",
    "published more than once": """
        SELECT r.id, count(*) FROM generation_run r JOIN run_event e ON e.run_id = r.id
         WHERE e.kind = 'stage_done' AND e.stage = 'publish' GROUP BY r.id HAVING count(*) > 1""",
    "a voice note sent more than once, or never": """
        SELECT v.id, count(o.id) FROM episode e JOIN episode_revision v ON v.id = e.published_revision_id
          LEFT JOIN outbox_message o ON o.kind = 'voice' AND o.part = 1 AND o.subject_id = v.id
         GROUP BY v.id HAVING count(o.id) <> 1""",
    "a fence that went back": """
        SELECT run_id, seq FROM (SELECT run_id, seq, fence, lag(fence) OVER (PARTITION BY run_id ORDER BY seq) AS before
                                   FROM run_event) t WHERE fence < before""",
    "a fence nobody was given": """
        SELECT e.run_id, e.seq FROM run_event e JOIN generation_run r ON r.id = e.run_id WHERE e.fence > r.fence""",
    "an end written by a stale fence": """
        SELECT r.id, r.fence FROM generation_run r JOIN LATERAL (
            SELECT fence FROM run_event e WHERE e.run_id = r.id AND e.kind = 'stage_done' AND e.stage = 'publish'
             ORDER BY seq DESC LIMIT 1) last ON true
         WHERE r.state = 'SUCCEEDED' AND last.fence <> r.fence""",
    "events with a hole": """
        SELECT r.id, r.event_seq FROM generation_run r
         WHERE r.event_seq <> (SELECT count(*) FROM run_event e WHERE e.run_id = r.id)
            OR r.event_seq <> (SELECT max(seq) FROM run_event e WHERE e.run_id = r.id)""",
    "more calls than the budget": "SELECT id, calls_used FROM generation_run WHERE calls_used > calls_limit",
    "calls that were not counted": """
        SELECT r.id, r.calls_used FROM generation_run r
         WHERE r.calls_used <> (SELECT count(*) FROM provider_call c WHERE c.run_id = r.id)""",
    "an intent that nobody settled": f"""
        SELECT c.id, c.state FROM provider_call c JOIN generation_run r ON r.id = c.run_id
         WHERE c.state = 'INTENT' AND r.state IN {_ENDED}""",
    "a free call whose outcome is called unknown": """
        SELECT id, provider FROM provider_call WHERE effect = 'none' AND state = 'UNKNOWN'""",
    "a stored call without its segment": """
        SELECT c.id, c.fingerprint FROM provider_call c JOIN generation_run r ON r.id = c.run_id
         WHERE c.state = 'STORED' AND c.ability = 'tts' AND NOT EXISTS (
               SELECT 1 FROM stage_artifact a
                WHERE a.owner_id = r.owner_id AND a.kind = 'speech' AND a.input_fingerprint = c.fingerprint)""",
    "a pointer to an artefact of another question": """
        SELECT v.id, v.question FROM episode_revision v JOIN stage_artifact a ON a.id = v.script_artifact_id
         WHERE a.content->>'question' <> v.question""",
    "more of a day than it holds": """
        SELECT p.id, sum(i.duration_ms) FROM daily_plan p JOIN plan_item i ON i.plan_id = p.id
         WHERE i.state <> 'released' GROUP BY p.id, p.budget_ms HAVING sum(i.duration_ms) > p.budget_ms""",
}
COUNTS = {
    "runs": """
        SELECT state || coalesce(' (' || error_reason || ')', '') AS what, count(*) FROM generation_run GROUP BY 1""",
    "attempts": "SELECT attempts::text AS what, count(*) FROM generation_run GROUP BY 1",
    "calls": "SELECT effect || ' ' || state AS what, count(*) FROM provider_call GROUP BY 1",
    "revisions": "SELECT state AS what, count(*) FROM episode_revision GROUP BY 1",
    "events": "SELECT 'all' AS what, count(*) FROM run_event",
}


@dataclass(frozen=True)
class LedgerScore:
    """``breaches``: name → the first rows of it. ``counts``: what there is, by kind."""

    breaches: dict[str, list[tuple[object, ...]]]
    counts: dict[str, dict[str, int]]


async def score(engine: AsyncEngine) -> LedgerScore:
    breaches: dict[str, list[tuple[object, ...]]] = {}
    counts: dict[str, dict[str, int]] = {}
    async with engine.connect() as connection:
        for name, sql in BREACHES.items():
            found = (await connection.execute(text(sql))).all()
            if found:
                breaches[f"{name} ({len(found)})"] = [tuple(row) for row in found[:5]]
        for name, sql in COUNTS.items():
            rows = (await connection.execute(text(sql))).all()
            counts[name] = {str(what): int(count) for what, count in sorted(rows)}
        deadlocks = (
            await connection.execute(text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
        ).scalar_one()
        counts["database"] = {"deadlocks": int(deadlocks)}
    return LedgerScore(breaches, counts)
