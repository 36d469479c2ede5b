"""What a finished revision says, when it says it, and where each claim stands in its source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.tx import Tx, snapshot


@dataclass(frozen=True)
class SourceView:
    version_id: int
    title: str
    name: str
    origin: str | None
    input_type: str
    pages: int | None
    quality: str
    fetched_at: datetime
    text_sha256: str
    extractor: str
    notes: tuple[str, ...]
    text: str
    blocks: tuple[tuple[str, int, int, int, int | None], ...]  # kind, start, end, level, page
    recognised: frozenset[int] = frozenset()  # pages whose text is OCR
    cues: tuple[tuple[int, int, int], ...] = ()  # start, end, from which millisecond: of a source with times
    outdated: bool = False  # the source has a newer version
    pictures: int = 0  # saved with the version


@dataclass(frozen=True)
class QuoteView:
    """One span, resolved: ``text == source.text[start:end]``."""

    version_id: int
    start: int
    end: int
    text: str
    heading: str
    page: int | None


@dataclass(frozen=True)
class SentenceView:
    index: int
    role: str  # opening | connective | fact | gap | closing
    text: str
    start_ms: int
    end_ms: int
    claim_id: str | None
    claim_kind: str | None  # external_fact | inference | teaching_example | user_context
    quotes: tuple[QuoteView, ...]


@dataclass(frozen=True)
class SpokenView:
    """An AUDIO_READY revision with everything a player, a transcript or an evidence page needs."""

    revision_id: int
    owner_id: int
    number: int
    guid: str
    created_at: datetime
    question: str
    question_by: str
    writer: str
    gaps: tuple[str, ...]
    left_out: int
    duration_ms: int
    lufs: float
    mp3_key: str
    mp3_bytes: int
    ogg_key: str
    ogg_bytes: int
    peaks: tuple[int, ...]
    voice: str
    sentences: tuple[SentenceView, ...]
    source: SourceView


REVISION = """
SELECT v.id, v.number, v.question, v.question_by, v.duration_ms, v.created_at, e.guid, v.owner_id,
       script.content AS script, audio.content AS audio,
       s.name, s.origin, s.input_type,
       sv.id AS version_id, sv.title, sv.pages, sv.quality, sv.fetched_at, sv.text_sha256, sv.extractor, sv.notes,
       sv.text, sv.blocks, sv.recognised, sv.cues, sv.id <> s.version_id AS outdated,
       (SELECT count(*) FROM source_asset a WHERE a.version_id = sv.id AND a.state = 'stored') AS pictures
  FROM episode_revision v
  JOIN episode e ON e.id = v.episode_id
  JOIN source s ON s.id = e.source_id
  JOIN source_version sv ON sv.id = v.source_version_id
  JOIN stage_artifact script ON script.id = v.script_artifact_id
  JOIN stage_artifact audio ON audio.id = v.audio_artifact_id
 WHERE v.id = :revision AND v.owner_id = :owner AND v.state = 'AUDIO_READY'
"""
CHUNKS = "SELECT id, heading, page FROM chunk WHERE version_id = :version"


async def spoken(engine: AsyncEngine, revision_id: int, *, owner_id: int) -> SpokenView:
    """Raises MissingRow when the owner has no such finished revision."""
    async with snapshot(engine) as tx:
        return await spoken_in(tx, revision_id, owner_id=owner_id)


async def spoken_in(tx: Tx, revision_id: int, *, owner_id: int) -> SpokenView:
    row = await tx.one(REVISION, revision=revision_id, owner=owner_id)
    chunks = {c["id"]: c for c in await tx.rows(CHUNKS, version=row["version_id"])}
    script, audio = row["script"], row["audio"]
    cues = {cue["sentence"]: cue for cue in audio["cues"]}
    claims = {claim["id"]: claim for claim in script["claims"]}
    return SpokenView(
        revision_id=row["id"],
        owner_id=row["owner_id"],
        number=row["number"],
        guid=str(row["guid"]),
        created_at=row["created_at"],
        question=row["question"] or "",
        question_by=row["question_by"] or "person",
        writer=script["writer"],
        gaps=tuple(script["gaps"]),
        left_out=script["left_out"],
        duration_ms=row["duration_ms"],
        lufs=audio["lufs"],
        mp3_key=audio["mp3"]["key"],
        mp3_bytes=audio["mp3"]["bytes"],
        ogg_key=audio["ogg"]["key"],
        ogg_bytes=audio["ogg"]["bytes"],
        peaks=tuple(audio["peaks"]),
        voice=audio["voice"],
        sentences=tuple(_sentence(s, cues, claims, chunks, row["text"]) for s in script["sentences"]),
        source=_source(row),
    )


def _source(row: Any) -> SourceView:
    return SourceView(
        version_id=row["version_id"],
        title=row["title"],
        name=row["name"],
        origin=row["origin"],
        input_type=row["input_type"],
        pages=row["pages"],
        quality=row["quality"],
        fetched_at=row["fetched_at"],
        text_sha256=row["text_sha256"],
        extractor=row["extractor"],
        notes=tuple(row["notes"]),
        text=row["text"],
        blocks=tuple((b["kind"], b["start"], b["end"], b["level"], b["page"]) for b in row["blocks"]),
        recognised=frozenset(row["recognised"]),
        cues=tuple((c["start"], c["end"], c["start_ms"]) for c in row["cues"]),
        outdated=bool(row["outdated"]),
        pictures=row["pictures"],
    )


def _sentence(
    sentence: Any, cues: dict[int, Any], claims: dict[str, Any], chunks: dict[int, Any], text: str
) -> SentenceView:
    cue = cues[sentence["index"]]
    claim = claims[sentence["claim_ids"][0]] if sentence["claim_ids"] else None
    spans = [span for id in sentence["claim_ids"] for span in claims[id]["evidence"]]
    quotes = tuple(
        QuoteView(
            version_id=span["source_version_id"],
            start=span["span_start"],
            end=span["span_end"],
            text=text[span["span_start"] : span["span_end"]],
            heading=chunks[span["chunk_id"]]["heading"],
            page=chunks[span["chunk_id"]]["page"],
        )
        for span in spans
    )
    return SentenceView(
        index=sentence["index"],
        role=sentence["role"],
        text=sentence["text"],
        start_ms=cue["start_ms"],
        end_ms=cue["end_ms"],
        claim_id=claim["id"] if claim else None,
        claim_kind=claim["kind"] if claim else None,
        quotes=quotes,
    )
