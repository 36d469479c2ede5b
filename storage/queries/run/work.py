"""What an attempt needs to know before it does anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import snapshot


@dataclass(frozen=True)
class WorkView:
    run_id: int
    kind: str
    fence: int
    owner_id: int
    time_zone: str  # IANA, of the owner
    revision_id: int
    revision_state: str
    question: str | None
    source_id: int
    input_type: str
    name: str
    origin: str | None  # the address as sent
    address: str | None  # where it lies: of the latest answer, or as sent
    address_key: str | None
    charset: str | None  # of the latest answer's header
    capture_id: int | None
    blob_key: str  # "" with the hash below while it is a link
    raw_sha256: str
    version_id: int | None
    script_artifact_id: int | None
    audio_artifact_id: int | None
    settings: dict[str, Any]


@dataclass(frozen=True)
class VersionView:
    id: int
    owner_id: int
    title: str
    text: str
    text_sha256: str
    main_sha256: str
    blocks: list[dict[str, Any]]
    quality: str
    language: str
    pages: int | None
    notes: list[str]
    index_state: str
    extractor: str


WORK = """
SELECT r.id AS run_id, r.kind, r.fence, r.owner_id, o.time_zone, r.revision_id, v.state AS revision_state, v.question,
       s.id AS source_id, s.input_type, s.name, s.origin, coalesce(k.final_address, s.origin) AS address, s.address_key,
       k.charset, s.capture_id, coalesce(s.blob_key, '') AS blob_key, coalesce(s.raw_sha256, '') AS raw_sha256,
       s.version_id,
       v.script_artifact_id, v.audio_artifact_id, r.settings
  FROM generation_run r
  JOIN owner o ON o.id = r.owner_id
  JOIN episode_revision v ON v.id = r.revision_id
  JOIN source s ON s.id = r.source_id
  LEFT JOIN source_capture k ON k.id = s.capture_id
 WHERE r.id = :run
"""
VERSION = """
SELECT id, owner_id, title, text, text_sha256, main_sha256, blocks, quality, language, pages, notes, index_state,
       extractor
  FROM source_version WHERE id = :version
"""
SAME_BYTES = """
SELECT id FROM source_version WHERE owner_id = :owner AND raw_sha256 = :raw AND reader = :reader
"""
# Two saves of one page by one owner: the newest version whose main text is the same.
SAME_PAGE = """
SELECT v.id FROM source_version v JOIN source_capture k ON k.version_id = v.id JOIN source s ON s.id = k.source_id
 WHERE v.owner_id = :owner AND v.main_sha256 = :main AND s.owner_id = :owner AND s.address_key = :address
 ORDER BY v.id DESC LIMIT 1
"""
ANYTHING = "SELECT EXISTS (SELECT 1 FROM generation_run WHERE state = 'RUNNING') AS runs"
ARTIFACT = "SELECT content FROM stage_artifact WHERE id = :id"


async def work(engine: AsyncEngine, run_id: int) -> WorkView:
    async with snapshot(engine) as tx:
        return WorkView(**await tx.one(WORK, run=run_id))


async def version(engine: AsyncEngine, version_id: int) -> VersionView:
    async with snapshot(engine) as tx:
        return VersionView(**await tx.one(VERSION, version=version_id))


async def version_of_bytes(engine: AsyncEngine, *, owner_id: int, raw_sha256: str, reader: str) -> int | None:
    """The version that these bytes became before, read by the same reader."""
    async with snapshot(engine) as tx:
        row = await tx.row(SAME_BYTES, owner=owner_id, raw=raw_sha256, reader=reader)
    return None if row is None else int(row["id"])


async def version_of_page(
    engine: AsyncEngine, *, owner_id: int, address_key: str | None, main_sha256: str
) -> int | None:
    """A version of the same page whose main text is the same (rule SRC-3)."""
    if address_key is None:
        return None
    async with snapshot(engine) as tx:
        row = await tx.row(SAME_PAGE, owner=owner_id, address=address_key, main=main_sha256)
    return None if row is None else int(row["id"])


async def artifact_content(engine: AsyncEngine, artifact_id: int) -> dict[str, Any]:
    async with snapshot(engine) as tx:
        return dict((await tx.one(ARTIFACT, id=artifact_id))["content"])


async def anything_runs(engine: AsyncEngine) -> bool:
    """Whether any attempt is at work now."""
    async with snapshot(engine) as tx:
        return bool((await tx.one(ANYTHING))["runs"])
