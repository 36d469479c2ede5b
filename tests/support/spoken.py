"""A small finished episode of our own making: the views that screens take, and the rows that queries read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from storage.queries.episode.spoken import QuoteView, SentenceView, SourceView, SpokenView

AT = datetime(2026, 11, 30, 1, 4, tzinfo=UTC)
TITLE = "夜里把路灯调暗以后"
PARAGRAPHS = (
    ("title", 1, TITLE),
    ("heading", 2, "一、做法"),
    ("paragraph", 0, "试验在三条街上做了 14 个月。每天 23:00 以后，路灯的亮度降到原来的 40%，清晨五点恢复。"),
    ("paragraph", 0, "期间没有更换灯具，也没有改变限速。"),
    ("heading", 2, "二、结果"),
    ("paragraph", 0, "调暗期间记录到事故 9 起，前一年同期是 11 起。作者说，这个差别太小，不能说明调暗让街道更安全。"),
    ("paragraph", 0, "住户来信 62 封，其中 48 封说睡得更好。"),
)
QUESTION = "调暗之后，事故是多了还是少了？"
# (role, text, heading) – a fact's text is looked up in the paragraphs above
SAID = (
    ("opening", "以下是原文摘读，来自《夜里把路灯调暗以后》。", ""),
    ("fact", "试验在三条街上做了 14 个月。", "一、做法"),
    ("connective", "关于结果，原文这样写。", ""),
    ("fact", "调暗期间记录到事故 9 起，前一年同期是 11 起。", "二、结果"),
    ("fact", "作者说，这个差别太小，不能说明调暗让街道更安全。", "二、结果"),
    ("gap", "至于换成别的亮度会怎样，资料没有说明。", ""),
    ("closing", "摘读到这里。", ""),
)
PEAKS = tuple((n * 37) % 90 + 10 for n in range(64))


def stored(paragraphs: tuple[tuple[str, int, str], ...] = PARAGRAPHS) -> tuple[str, tuple[Any, ...]]:
    """Canonical text and its blocks, joined by blank lines."""
    whole, blocks = "", []
    for kind, level, words in paragraphs:
        whole += "\n\n" if whole else ""
        blocks.append((kind, len(whole), len(whole) + len(words), level, 1 if len(blocks) < 4 else 2))
        whole += words
    return whole, tuple(blocks)


def spoken_view(
    *,
    said: tuple[tuple[str, str, str], ...] = SAID,
    title: str = TITLE,
    name: str = "路灯.pdf",
    question: str = QUESTION,
    question_by: str = "person",
    gaps: tuple[str, ...] = ("换成别的亮度会怎样",),
    left_out: int = 2,
    writer: str = "excerpt 1",
    paragraphs: tuple[tuple[str, int, str], ...] = PARAGRAPHS,
    revision_id: int = 12,
) -> SpokenView:
    whole, blocks = stored(paragraphs)
    sentences = []
    for index, (role, words, heading) in enumerate(said):
        at = whole.find(words) if role == "fact" else -1
        quotes = (QuoteView(3, at, at + len(words), words, heading, 2),) if at >= 0 else ()
        sentences.append(
            SentenceView(
                index,
                role,
                words,
                index * 4000,
                index * 4000 + 3800,
                f"c{index:02d}" if quotes else None,
                "external_fact" if quotes else None,
                quotes,
            )  # fmt: skip
        )
    return SpokenView(
        revision_id=revision_id, owner_id=1, number=1, guid="5a", created_at=AT, question=question,
        question_by=question_by, writer=writer, gaps=gaps, left_out=left_out, duration_ms=len(said) * 4000, lufs=-16.0,
        mp3_key="o/1/mp3", mp3_bytes=1000, ogg_key="o/1/ogg", ogg_bytes=800, peaks=PEAKS, voice="v",
        sentences=tuple(sentences),
        source=SourceView(
            3, title, name, None, "pdf", 2, "FULL", AT, "9f3c1a27" + "0" * 56, "pypdfium2 5", (), whole, blocks
        ),
    )  # fmt: skip


@dataclass(frozen=True)
class Seeded:
    revision_id: int
    source_id: int
    run_id: int


async def seed_spoken(
    engine: AsyncEngine, *, owner_id: int, chat_id: int, view: SpokenView, mp3_key: str, ogg_key: str
) -> Seeded:
    """Rows of a finished episode that reads back as ``view`` (ids aside)."""
    async with engine.begin() as c:

        async def one(sql: str, **values: Any) -> int:
            return int((await c.execute(text(sql), values)).scalar_one())

        s = view.source
        source = await one(
            "INSERT INTO source (owner_id, request_key, payload_sha256, input_type, name, blob_key, raw_sha256, size_bytes)"
            " VALUES (:o, gen_random_uuid()::text, 'p', :kind, :name, 'k', 'r', 1000) RETURNING id",
            o=owner_id, kind=s.input_type, name=s.name,
        )  # fmt: skip
        blocks = [dict(zip(("kind", "start", "end", "level", "page"), b, strict=True)) for b in s.blocks]
        version = await one(
            "INSERT INTO source_version (owner_id, raw_sha256, blob_key, reader, extractor, title, text, text_sha256, offsets,"
            " blocks, page_starts, pages, quality, language, removed, notes, fetched_at)"
            " VALUES (:o, gen_random_uuid()::text, 'k', 'r', :x, :t, :text, :sha, '[]', cast(:b AS jsonb), '[]', :pages, :q,"
            " 'zh', '[]', '[]', :at) RETURNING id",
            o=owner_id, x=s.extractor, t=s.title, text=s.text, sha=s.text_sha256, b=json.dumps(blocks), pages=s.pages,
            q=s.quality, at=s.fetched_at,
        )  # fmt: skip
        await c.execute(text("UPDATE source SET version_id = :v WHERE id = :s"), {"v": version, "s": source})
        claims, sentences = [], []
        for seq, sentence in enumerate(view.sentences):
            evidence = []
            for quote in sentence.quotes:
                chunk = await one(
                    "INSERT INTO chunk (version_id, owner_id, seq, kind, is_section, heading, page, span_start, span_end,"
                    " tokens) VALUES (:v, :o, :seq, 'paragraph', false, :h, :p, :a, :b, '') RETURNING id",
                    v=version, o=owner_id, seq=seq, h=quote.heading, p=quote.page, a=quote.start, b=quote.end,
                )  # fmt: skip
                evidence.append(
                    {"source_version_id": version, "chunk_id": chunk, "span_start": quote.start, "span_end": quote.end}
                )
            ids = [sentence.claim_id] if evidence else []
            if evidence:
                claims.append({"id": sentence.claim_id, "kind": sentence.claim_kind, "evidence": evidence})
            sentences.append({"index": sentence.index, "role": sentence.role, "text": sentence.text, "claim_ids": ids})
        script = {
            "writer": view.writer, "gaps": view.gaps, "left_out": view.left_out, "claims": claims, "sentences": sentences,
        }  # fmt: skip
        audio = {
            "lufs": view.lufs, "mp3": {"key": mp3_key, "bytes": 1}, "ogg": {"key": ogg_key, "bytes": 1},
            "peaks": view.peaks, "voice": view.voice,
            "cues": [{"sentence": x.index, "start_ms": x.start_ms, "end_ms": x.end_ms} for x in view.sentences],
        }  # fmt: skip
        artefact = (
            "INSERT INTO stage_artifact (owner_id, kind, input_fingerprint, content, content_sha256, created_at)"
            " VALUES (:o, :k, gen_random_uuid()::text, cast(:c AS jsonb), 's', :at) RETURNING id"
        )
        script_id = await one(artefact, o=owner_id, k="script", c=json.dumps(script), at=AT)
        audio_id = await one(artefact, o=owner_id, k="audio", c=json.dumps(audio), at=AT)
        episode = await one(
            "INSERT INTO episode (owner_id, source_id, state) VALUES (:o, :s, 'PUBLISHED') RETURNING id",
            o=owner_id, s=source,
        )  # fmt: skip
        revision = await one(
            "INSERT INTO episode_revision (episode_id, owner_id, chat_id, number, question, question_by, state,"
            " source_version_id, script_artifact_id, audio_artifact_id, duration_ms, created_at)"
            " VALUES (:e, :o, :c, 1, :q, :by, 'AUDIO_READY', :v, :script, :audio, :ms, :at) RETURNING id",
            e=episode, o=owner_id, c=chat_id, q=view.question, by=view.question_by, v=version, script=script_id,
            audio=audio_id, ms=view.duration_ms, at=AT,
        )  # fmt: skip
        run = await one(
            "INSERT INTO generation_run (owner_id, kind, request_key, source_id, revision_id, state, next_due_at,"
            " started_at, finished_at) VALUES (:o, 'GENERATE', gen_random_uuid()::text, :s, :r, 'SUCCEEDED', now(), now(),"
            " now()) RETURNING id",
            o=owner_id, s=source, r=revision,
        )  # fmt: skip
    return Seeded(revision, source, run)
