"""Bytes → source version → chunks with search tokens: the first two rows of every receipt."""

from __future__ import annotations

import asyncio
import re

from pipeline.domain.evidence import ChunkDraft
from pipeline.domain.run import Stage
from pipeline.domain.source import Block, BlockKind, Extraction, InputType
from pipeline.evidence.chunk import split
from pipeline.evidence.terms import search_tokens
from pipeline.graphs.attempt import Attempt, sha256_of
from storage.queries.run.work import VersionView, WorkView, version, version_of_bytes
from storage.transactions.stage.save_version import VersionFacts, reuse_version, save_chunks, save_version
from storage.tx import transaction

READING = "1"  # of intake as a whole; a change that alters canonical texts raises it
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
CHINESE_SHARE = 0.3  # of letters; below it nothing is told in Mandarin without a model (rule SEC-6)


async def read(attempt: Attempt, work: WorkView) -> VersionView:
    """The version of the run's source, read now or found. Raises InputRejected or ChildDied."""
    engine = attempt.tools.engine
    reader = f"{work.input_type} {READING}"
    if work.version_id is not None:
        return await version(engine, work.version_id)
    await attempt.enter(Stage.READ)
    known = await version_of_bytes(engine, owner_id=work.owner_id, raw_sha256=work.raw_sha256, reader=reader)
    if known is not None:
        view = await version(engine, known)
        done = {
            "chars": len(view.text),
            "quality": view.quality,
            "pages": view.pages,
            "reused": True,
            "notes": view.notes,
        }
        async with transaction(engine) as tx:
            await reuse_version(
                tx,
                source_id=work.source_id,
                version_id=known,
                run_id=attempt.run_id,
                fence=attempt.fence,
                done=done,
            )
        return view
    data = await attempt.tools.blobs.get(work.blob_key)
    attempt.tools.crash("read_before_parse")
    extraction = await attempt.tools.parser.parse(data, name=work.name, kind=InputType(work.input_type))
    saved = await _save(attempt, work, extraction, reader)
    attempt.tools.crash("read_committed")
    return await version(engine, saved)


async def _save(attempt: Attempt, work: WorkView, extraction: Extraction, reader: str) -> int:
    facts = VersionFacts(
        owner_id=work.owner_id,
        source_id=work.source_id,
        raw_sha256=work.raw_sha256,
        blob_key=work.blob_key,
        reader=reader,
        text_sha256=sha256_of(extraction.text),
        language=language_of(extraction.text),
    )
    done = {
        "chars": len(extraction.text),
        "quality": extraction.quality,
        "pages": extraction.pages,
        "notes": list(extraction.notes),
    }
    async with transaction(attempt.tools.engine) as tx:
        return await save_version(
            tx,
            facts,
            extraction,
            run_id=attempt.run_id,
            fence=attempt.fence,
            done=done,
            now=attempt.tools.clock.now(),
        )


async def chunk(attempt: Attempt, view: VersionView) -> None:
    """Split and index the version, unless it is done."""
    if view.index_state != "NONE":
        return
    await attempt.enter(Stage.SPLIT)
    chunks = await asyncio.to_thread(_split, view)
    children = sum(1 for draft, _ in chunks if not draft.is_section)
    async with transaction(attempt.tools.engine) as tx:
        await save_chunks(
            tx,
            owner_id=view.owner_id,
            version_id=view.id,
            chunks=chunks,
            run_id=attempt.run_id,
            fence=attempt.fence,
            done={"chunks": children},
        )
    attempt.tools.crash("split_committed")


def _split(view: VersionView) -> tuple[tuple[ChunkDraft, str], ...]:
    blocks = tuple(Block(BlockKind(b["kind"]), b["start"], b["end"], b["level"], b["page"]) for b in view.blocks)
    return tuple(
        (draft, "" if draft.is_section else search_tokens(f"{draft.heading}\n{view.text[draft.start : draft.end]}"))
        for draft in split(view.text, blocks)
    )


def language_of(text: str) -> str:
    """``zh`` when at least CHINESE_SHARE of the letters are Han, else ``other``. Numbers and signs do not count."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) / letters >= CHINESE_SHARE else "other"
