"""Save what a stage made, and move the revision's pointers and state with it (rules RUN-8, EVD-6).

Locks: RUN(run) by its guarded event → inserts stage_artifact (parent: owner); the revision is written under its run's
    lock → OUTBOX.
Idempotent: ``(owner, kind, fingerprint)``: the committed artefact is used, whoever made it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from pipeline.domain.errors import Contention
from pipeline.domain.run import REVISION, RevisionEvent
from pipeline.ports.blobs import is_key
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import succeeded
from storage.tx import Tx

INSERT = """
INSERT INTO stage_artifact (owner_id, kind, input_fingerprint, content, content_sha256, run_id, blob_keys)
VALUES (:owner, :kind, :fingerprint, cast(:content AS jsonb), :sha256, :run, :keys)
ON CONFLICT (owner_id, kind, input_fingerprint) DO NOTHING
"""
FIND = """
SELECT id, content FROM stage_artifact
 WHERE owner_id = :owner AND kind = :kind AND input_fingerprint = :fingerprint
"""
EVIDENCE = """
UPDATE episode_revision SET source_version_id = :version, evidence_artifact_id = :artifact WHERE id = :revision
"""
SCRIPT = """
UPDATE episode_revision SET script_artifact_id = :artifact, state = 'SCRIPT_READY'
 WHERE id = :revision AND state = ANY(:from)
"""
STOP = """
UPDATE episode_revision SET decline = cast(:decline AS jsonb), state = 'STOPPED'
 WHERE id = :revision AND state = ANY(:from)
"""
AUDIO = """
UPDATE episode_revision SET audio_artifact_id = :artifact, duration_ms = :duration, state = 'AUDIO_READY'
 WHERE id = :revision AND state = ANY(:from)
"""


@dataclass(frozen=True)
class Artifact:
    id: int
    content: dict[str, Any]


async def keep(
    tx: Tx, *, owner_id: int, kind: str, fingerprint: str, content: dict[str, Any], run_id: int | None
) -> Artifact:
    """Insert, or find what is committed under the same inputs. For transactions that hold their run already."""
    body = json.dumps(content, ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(body.encode()).hexdigest()
    key = {"owner": owner_id, "kind": kind, "fingerprint": fingerprint}
    await tx.run(INSERT, **key, content=body, sha256=digest, run=run_id, keys=named(content))
    row = await tx.one(FIND, **key)
    return Artifact(row["id"], row["content"])


def named(content: object) -> list[str]:
    """Keys of stored bytes anywhere in ``content``: what keeps them from being collected (rule AUD-4)."""
    if isinstance(content, dict):
        return sorted({key for value in content.values() for key in named(value)})
    if isinstance(content, list | tuple):
        return sorted({key for value in content for key in named(value)})
    return [content] if isinstance(content, str) and is_key(content) else []


async def find_artifact(tx: Tx, *, owner_id: int, kind: str, fingerprint: str) -> Artifact | None:
    row = await tx.row(FIND, owner=owner_id, kind=kind, fingerprint=fingerprint)
    return None if row is None else Artifact(row["id"], row["content"])


async def save_evidence(
    tx: Tx,
    *,
    run_id: int,
    fence: int,
    version_id: int,
    fingerprint: str,
    content: dict[str, Any],
    done: dict[str, Any],
) -> Artifact:
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="find", data=done)
    artifact = await keep(
        tx, owner_id=run["owner_id"], kind="evidence", fingerprint=fingerprint, content=content, run_id=run_id
    )
    await tx.run(EVIDENCE, revision=run["revision_id"], version=version_id, artifact=artifact.id)
    return artifact


async def save_script(
    tx: Tx, *, run_id: int, fence: int, fingerprint: str, content: dict[str, Any], done: dict[str, Any]
) -> Artifact:
    """The checked script; its revision becomes SCRIPT_READY. ``done`` are the facts of the check."""
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="check", data=done)
    artifact = await keep(
        tx, owner_id=run["owner_id"], kind="script", fingerprint=fingerprint, content=content, run_id=run_id
    )
    moved = await tx.run(
        SCRIPT, revision=run["revision_id"], artifact=artifact.id, **{"from": _from(RevisionEvent.SCRIPT)}
    )
    if moved != 1:
        raise Contention(f"revision {run['revision_id']} is no longer a draft")
    return artifact


async def stop(tx: Tx, *, run_id: int, fence: int, decline: dict[str, Any]) -> None:
    """Nothing fits: the receipt becomes a sentence, no audio, and the run has done its work (rule EVD-7)."""
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="declined", data={"reason": decline["reason"]})
    body = json.dumps(decline, ensure_ascii=False)
    if await tx.run(STOP, revision=run["revision_id"], decline=body, **{"from": _from(RevisionEvent.STOP)}) != 1:
        raise Contention(f"revision {run['revision_id']} is no longer a draft")
    await succeeded(tx, run_id=run_id)


async def save_audio(
    tx: Tx,
    *,
    run_id: int,
    fence: int,
    fingerprint: str,
    content: dict[str, Any],
    duration_ms: int,
    done: dict[str, Any],
) -> Artifact:
    run = await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="speak", data=done)
    artifact = await keep(
        tx, owner_id=run["owner_id"], kind="audio", fingerprint=fingerprint, content=content, run_id=run_id
    )
    moved = await tx.run(
        AUDIO,
        revision=run["revision_id"],
        artifact=artifact.id,
        duration=artifact.content["duration_ms"],
        **{"from": _from(RevisionEvent.AUDIO)},
    )
    if moved != 1:
        raise Contention(f"revision {run['revision_id']} has no script that waits for its audio")
    return artifact


def _from(event: RevisionEvent) -> list[str]:
    return [str(state) for state in REVISION.sources(event)]
