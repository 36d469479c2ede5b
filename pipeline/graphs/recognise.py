"""Pages without readable text → what OCR sees on them; each page is saved as it is read (rules SRC-5, RUN-8)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pipeline.domain.source import InputType, OcrLine, OcrPage
from pipeline.graphs.attempt import Attempt, fingerprint
from storage.transactions.stage.save_artifact import find_artifact
from storage.transactions.stage.save_recognised import save_recognised
from storage.tx import transaction


async def recognise(
    attempt: Attempt, data: bytes, *, owner_id: int, kind: InputType, raw_sha256: str, pages: tuple[int, ...]
) -> tuple[OcrPage, ...]:
    """Every one of ``pages``, in order: found where an earlier attempt left it, else seen now.

    Raises:
        InputRejected, ChildDied: what was seen before stays saved.
    """
    tools = attempt.tools
    marks = {
        page: fingerprint(owner=owner_id, raw=raw_sha256, page=page, engine=tools.recogniser.identity) for page in pages
    }
    seen: dict[int, OcrPage] = {}
    async with transaction(tools.engine) as tx:
        for page, mark in marks.items():
            if there := await find_artifact(tx, owner_id=owner_id, kind="ocr", fingerprint=mark):
                seen[page] = unpacked(there.content)
    missing = tuple(page for page in pages if page not in seen)
    if missing:
        await attempt.progress(len(seen), len(pages))
        async for found in tools.recogniser.recognise(data, kind=kind, pages=missing):
            async with transaction(tools.engine) as tx:
                await save_recognised(
                    tx,
                    run_id=attempt.run_id,
                    fence=attempt.fence,
                    fingerprint=marks[found.page],
                    content=asdict(found),
                    part=len(seen) + 1,
                    parts=len(pages),
                )
            seen[found.page] = found
            tools.crash("page_recognised")
    return tuple(seen[page] for page in pages if page in seen)


def unpacked(content: dict[str, Any]) -> OcrPage:
    """The stored form of a page, as an OcrPage."""
    lines = tuple(OcrLine(line["text"], tuple(line["box"]), line["score"]) for line in content["lines"])
    return OcrPage(content["page"], content["width"], content["height"], lines, content["engine"])
