"""Bytes or an address → version → chunks (rules SRC-3, CHK-1). What is there already is found."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections.abc import Sequence

from pipeline.domain.evidence import ChunkDraft
from pipeline.domain.run import Stage
from pipeline.domain.source import Block, BlockKind, Extraction, InputType, ReadHints
from pipeline.domain.versions import main_sha256
from pipeline.evidence.chunk import split
from pipeline.evidence.terms import search_tokens
from pipeline.graphs.attempt import Attempt, sha256_of
from pipeline.graphs.capture import fetch
from pipeline.graphs.recognise import recognise
from storage.queries.run.work import VersionView, WorkView, version, version_of_bytes, version_of_page, work
from storage.transactions.stage.save_version import StoredAsset, VersionFacts, reuse_version, save_chunks, save_version
from storage.tx import transaction

READING = "2"  # of intake as a whole; a change that alters canonical texts raises it
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
CHINESE_SHARE = 0.3  # of letters; below it nothing is told in Mandarin without a model (rule SEC-6)
_MAY_HOLD_PICTURES = (InputType.PDF, InputType.IMAGE)


async def read(attempt: Attempt, work_: WorkView) -> VersionView:
    """The version of the run's source: fetched and read now, or found.

    Raises:
        InputRejected, FetchFailed, ChildDied: why there is none.
    """
    engine = attempt.tools.engine
    if work_.version_id is not None:
        return await version(engine, work_.version_id)
    if work_.input_type == InputType.LINK:
        await fetch(attempt, work_, point=True)
        work_ = await work(engine, attempt.run_id)
    await attempt.enter(Stage.READ)
    return await version(engine, await read_bytes(attempt, work_))


async def read_bytes(attempt: Attempt, work_: WorkView, *, point: bool = True) -> int:
    """Read the bytes that ``work_`` names; returns the version's id. ``point``: make it its source's version."""
    reader = reader_of(attempt, work_)
    known = await version_of_bytes(
        attempt.tools.engine, owner_id=work_.owner_id, raw_sha256=work_.raw_sha256, reader=reader
    )
    if known is not None:
        await _reuse(attempt, work_, known, point=point)
        return known
    data = await attempt.tools.blobs.get(work_.blob_key)
    attempt.tools.crash("read_before_parse")
    extraction = await _extraction(attempt, work_, data)
    main = await asyncio.to_thread(main_sha256, extraction.text)
    same = await version_of_page(
        attempt.tools.engine, owner_id=work_.owner_id, address_key=work_.address_key, main_sha256=main
    )
    if same is not None:  # the page was saved before, and only its counters have moved on
        await _reuse(attempt, work_, same, point=point)
        return same
    saved = await _save(attempt, work_, extraction, reader, main, point=point)
    attempt.tools.crash("read_committed")
    return saved


def reader_of(attempt: Attempt, work_: WorkView) -> str:
    """What reads these bytes: part of a version's identity, and known before anything is read."""
    parts = [work_.input_type, READING]
    if work_.charset:
        parts.append(work_.charset.lower())
    if work_.input_type in _MAY_HOLD_PICTURES:
        parts.append(attempt.tools.recogniser.identity)
    return " ".join(parts)


async def _extraction(attempt: Attempt, work_: WorkView, data: bytes) -> Extraction:
    """Read; where pages hold no readable text, look at them, and read again with what was seen."""
    kind = InputType(work_.input_type)
    hints = ReadHints(charset=work_.charset, address=work_.address)
    first = await attempt.tools.parser.parse(data, name=work_.name, kind=kind, hints=hints)
    if not first.unread:
        return first
    pages = await recognise(
        attempt, data, owner_id=work_.owner_id, kind=kind, raw_sha256=work_.raw_sha256, pages=first.unread
    )
    hints = ReadHints(charset=work_.charset, address=work_.address, recognised=pages)
    return await attempt.tools.parser.parse(data, name=work_.name, kind=kind, hints=hints)


async def _reuse(attempt: Attempt, work_: WorkView, known: int, *, point: bool) -> None:
    view = await version(attempt.tools.engine, known)
    done = {
        "chars": len(view.text),
        "quality": view.quality,
        "pages": view.pages,
        "reused": True,
        "notes": view.notes,
    }
    async with transaction(attempt.tools.engine) as tx:
        await reuse_version(
            tx,
            source_id=work_.source_id,
            version_id=known,
            run_id=attempt.run_id,
            fence=attempt.fence,
            done=done,
            capture_id=work_.capture_id,
            point=point,
        )


async def _save(
    attempt: Attempt, work_: WorkView, extraction: Extraction, reader: str, main: str, *, point: bool
) -> int:
    facts = VersionFacts(
        owner_id=work_.owner_id,
        source_id=work_.source_id,
        raw_sha256=work_.raw_sha256,
        blob_key=work_.blob_key,
        reader=reader,
        text_sha256=sha256_of(extraction.text),
        main_sha256=main,
        language=language_of(extraction.text),
        capture_id=work_.capture_id,
    )
    done = {
        "chars": len(extraction.text),
        "quality": extraction.quality,
        "pages": extraction.pages,
        "notes": list(extraction.notes),
    }
    stored = await _store_pictures(attempt, extraction, owner_id=work_.owner_id)
    async with transaction(attempt.tools.engine) as tx:
        return await save_version(
            tx,
            facts,
            extraction,
            run_id=attempt.run_id,
            fence=attempt.fence,
            done=done,
            now=attempt.tools.clock.now(),
            stored=stored,
            point=point,
        )


async def _store_pictures(attempt: Attempt, extraction: Extraction, *, owner_id: int) -> dict[int, StoredAsset]:
    """Put the pictures that came along into the blob store; one that is no base64 is left out."""
    stored: dict[int, StoredAsset] = {}
    for seq, asset in enumerate(extraction.assets):
        if not asset.data:
            continue
        try:
            data = base64.b64decode(asset.data, validate=True)
        except binascii.Error:
            continue
        blob = await attempt.tools.blobs.put(data, owner_id=owner_id)
        stored[seq] = StoredAsset(asset.media_type, blob.key, blob.sha256, blob.size_bytes)
    return stored


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
    return tuple(
        (draft, "" if draft.is_section else search_tokens(f"{draft.heading}\n{view.text[draft.start : draft.end]}"))
        for draft in split(view.text, _blocks(view.blocks))
    )


def _blocks(stored: Sequence[dict[str, object]]) -> tuple[Block, ...]:
    return tuple(Block(**{**block, "kind": BlockKind(str(block["kind"]))}) for block in stored)  # type: ignore[arg-type]  # rows of ours


def language_of(text: str) -> str:
    """``zh`` when at least CHINESE_SHARE of the letters are Han, else ``other``. Numbers and signs do not count."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) / letters >= CHINESE_SHARE else "other"
