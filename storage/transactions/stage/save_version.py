"""Save what reading gave: the version, then its chunks. Both once, whoever comes first (rules SRC-3, RUN-8).

Locks: RUN(run) by its guarded event → inserts source_version, source_asset, chunk (parents: owner, version) → OUTBOX.
Idempotent: ``(owner, raw hash, reader)`` and the version's ``index_state`` under its row lock.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pipeline.domain.evidence import ChunkDraft
from pipeline.domain.source import Asset, AssetState, Extraction
from storage.transactions.run.event import guarded_event
from storage.transactions.source.capture import became
from storage.tx import Tx, storable

INSERT = """
INSERT INTO source_version (owner_id, raw_sha256, blob_key, reader, extractor, codec, title, text,
                            text_sha256, main_sha256, raw_text, offsets, blocks, page_starts, page_labels, pages,
                            quality, language, recognised, boxes, cues, attachments, removed, notes, fetched_at)
VALUES (:owner, :raw, :blob, :reader, :extractor, :codec, :title, :text, :sha256, :main, :raw_text,
        cast(:offsets AS jsonb), cast(:blocks AS jsonb), cast(:page_starts AS jsonb), cast(:page_labels AS jsonb),
        :pages, :quality, :language, cast(:recognised AS jsonb), cast(:boxes AS jsonb), cast(:cues AS jsonb),
        cast(:attachments AS jsonb), cast(:removed AS jsonb), cast(:notes AS jsonb), :now)
ON CONFLICT (owner_id, raw_sha256, reader) DO NOTHING
"""
FIND = "SELECT id FROM source_version WHERE owner_id = :owner AND raw_sha256 = :raw AND reader = :reader"
ASSET = """
INSERT INTO source_asset (version_id, owner_id, seq, at, address, alt, state, media_type, blob_key, sha256, size_bytes)
VALUES (:version, :owner, :seq, :at, :address, :alt, :state, :media_type, :blob, :sha256, :size)
ON CONFLICT (version_id, seq) DO NOTHING
"""
POINT = "UPDATE source SET version_id = :version WHERE id = :source"
LOCK_VERSION = "SELECT index_state FROM source_version WHERE id = :version FOR NO KEY UPDATE"
CHUNK = """
INSERT INTO chunk (version_id, owner_id, seq, parent_seq, kind, is_section, heading, page, span_start, span_end, tokens)
VALUES (:version, :owner, :seq, :parent, :kind, :is_section, :heading, :page, :start, :end, :tokens)
"""
INDEXED = "UPDATE source_version SET index_state = 'LEXICAL' WHERE id = :version AND index_state = 'NONE'"


@dataclass(frozen=True)
class VersionFacts:
    """What is not in the Extraction: whose it is, and the identities of bytes and text."""

    owner_id: int
    source_id: int
    raw_sha256: str
    blob_key: str
    reader: str
    text_sha256: str
    main_sha256: str
    language: str
    capture_id: int | None = None


@dataclass(frozen=True)
class StoredAsset:
    """A picture whose bytes came along and are stored already."""

    media_type: str
    blob_key: str
    sha256: str
    size_bytes: int


async def save_version(
    tx: Tx,
    facts: VersionFacts,
    extraction: Extraction,
    *,
    run_id: int,
    fence: int,
    done: dict[str, Any],
    now: datetime,
    stored: Mapping[int, StoredAsset],
    point: bool = True,
) -> int:
    """Return the version's id, the committed one if it was there.

    Args:
        done: the stage's facts for the receipt.
        stored: the pictures that came along, by their place in ``extraction.assets``; the others are fetched later.
        point: make it the version of its source; a refresh does that only when the text has changed.
    """
    await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="read", data=done)
    key = {"owner": facts.owner_id, "raw": facts.raw_sha256, "reader": facts.reader}
    await tx.run(
        INSERT,
        **key,
        blob=facts.blob_key,
        extractor=extraction.extractor,
        codec=extraction.codec,
        title=extraction.title,
        text=extraction.text,
        sha256=facts.text_sha256,
        main=facts.main_sha256,
        raw_text=None if extraction.raw == extraction.text else extraction.raw,
        offsets=json.dumps(extraction.offsets.runs),
        blocks=json.dumps([asdict(block) for block in extraction.blocks], ensure_ascii=False),
        page_starts=json.dumps(extraction.page_starts),
        page_labels=json.dumps(extraction.page_labels, ensure_ascii=False),
        recognised=json.dumps(extraction.recognised),
        boxes=json.dumps([asdict(box) for box in extraction.boxes]),
        cues=json.dumps([asdict(cue) for cue in extraction.cues], ensure_ascii=False),
        attachments=json.dumps([asdict(file) for file in extraction.attachments], ensure_ascii=False),
        pages=extraction.pages,
        quality=extraction.quality,
        language=facts.language,
        removed=json.dumps([asdict(part) for part in extraction.removed], ensure_ascii=False),
        notes=json.dumps(extraction.notes, ensure_ascii=False),
        now=now,
    )
    version = (await tx.one(FIND, **key))["id"]
    await _assets(tx, version, facts.owner_id, extraction.assets, stored)
    if facts.capture_id is not None:
        await became(tx, capture_id=facts.capture_id, version_id=version)
    if point:
        await tx.run(POINT, source=facts.source_id, version=version)
    return int(version)


async def _assets(
    tx: Tx, version_id: int, owner_id: int, assets: tuple[Asset, ...], stored: Mapping[int, StoredAsset]
) -> None:
    rows = []
    for seq, asset in enumerate(assets):
        there = stored.get(seq)
        if there is None and not asset.address:
            continue
        rows.append(
            {
                "version": version_id,
                "owner": owner_id,
                "seq": seq,
                "at": asset.at,
                "address": asset.address,
                "alt": storable(asset.alt, 500),
                "state": AssetState.STORED if there else AssetState.WAITING,
                "media_type": there.media_type if there else None,
                "blob": there.blob_key if there else None,
                "sha256": there.sha256 if there else None,
                "size": there.size_bytes if there else None,
            }
        )
    await tx.run_many(ASSET, rows)


async def reuse_version(
    tx: Tx,
    *,
    source_id: int,
    version_id: int,
    run_id: int,
    fence: int,
    done: dict[str, Any],
    capture_id: int | None,
    point: bool = True,
) -> None:
    """What is there says the same: point the source at it (rule SRC-3)."""
    await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="read", data=done)
    if capture_id is not None:
        await became(tx, capture_id=capture_id, version_id=version_id)
    if not point:
        return
    await tx.run(POINT, source=source_id, version=version_id)


async def save_chunks(
    tx: Tx,
    *,
    owner_id: int,
    version_id: int,
    chunks: tuple[tuple[ChunkDraft, str], ...],
    run_id: int,
    fence: int,
    done: dict[str, Any],
) -> bool:
    """Insert chunks with their search tokens and make the version LEXICAL. False: somebody had done it already."""
    await guarded_event(tx, run_id=run_id, fence=fence, kind="stage_done", stage="split", data=done)
    if (await tx.one(LOCK_VERSION, version=version_id))["index_state"] != "NONE":
        return False
    await tx.run_many(
        CHUNK,
        [
            {
                "version": version_id,
                "owner": owner_id,
                "seq": seq,
                "parent": draft.parent,
                "kind": draft.kind,
                "is_section": draft.is_section,
                "heading": draft.heading,
                "page": draft.page,
                "start": draft.start,
                "end": draft.end,
                "tokens": tokens,
            }
            for seq, (draft, tokens) in enumerate(chunks)
        ],
    )
    await tx.run(INDEXED, version=version_id)
    return True
