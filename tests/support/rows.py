"""Rows that are valid for their state, made the way the product makes them."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from storage.transactions.owner.first_owner import chat_of, first_owner
from storage.transactions.run.claim import claim_due, claim_lapsed
from storage.transactions.source.submit import Submission, submit
from storage.tx import Tx, transaction

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


async def owner_and_chat(engine: AsyncEngine, *, channel: str = "web") -> tuple[int, int]:
    async with transaction(engine) as tx:
        owner = await first_owner(tx, language="zh")
        return owner, await chat_of(tx, owner_id=owner, channel=channel, external_id="main")


async def submission(engine: AsyncEngine, **changes: Any) -> Submission:
    owner, chat = await owner_and_chat(engine)
    given: dict[str, Any] = {
        "owner_id": owner,
        "chat_id": chat,
        "request_key": str(uuid.uuid4()),
        "payload_sha256": "p",
        "input_type": "text",
        "name": "a.txt",
        "origin": None,
        "note": None,
        "blob_key": "o/1/aa/aa",
        "raw_sha256": hashlib.sha256(b"a").hexdigest(),
        "size_bytes": 1,
        "question": "为什么？",
        "question_by": "person",
        "ask_until": None,
        "settings": {},
    }
    if changes.get("question", "") is None:
        given["ask_until"] = NOW + timedelta(seconds=120)
        given["question_by"] = None
    return Submission(**{**given, **changes})


async def submitted(engine: AsyncEngine, **changes: Any) -> int:
    """A revision with its runs; returns the revision id."""
    made = await submission(engine, **changes)
    async with transaction(engine) as tx:
        revision, _ = await submit(tx, made, now=NOW)
    return revision


async def claim_any(tx: Tx, *, now: datetime, **claiming: Any) -> Any:
    """What a worker's loop does when it has not looked for lapsed runs for a while, in one transaction."""
    return await claim_lapsed(tx, **claiming) or await claim_due(tx, **claiming, now=now)


async def claimed(engine: AsyncEngine, *, holder: str = "w1", lease_s: float = 60.0, at: datetime = NOW) -> Any:
    """The claimed run's row, or None."""
    async with transaction(engine) as tx:
        return await claim_any(tx, holder=holder, attempt=uuid.uuid4(), lease_s=lease_s, max_attempts=4, now=at)


async def lapse(engine: AsyncEngine, run_id: int) -> None:
    """The holder fell asleep: its lease is over."""
    await execute(
        engine, "UPDATE generation_run SET expires_at = clock_timestamp() - interval '1 s' WHERE id = :id", id=run_id
    )


async def scalar(engine: AsyncEngine, sql: str, **values: Any) -> Any:
    async with engine.connect() as connection:
        return (await connection.execute(text(sql), values)).scalar()


async def rows(engine: AsyncEngine, sql: str, **values: Any) -> list[tuple[Any, ...]]:
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(text(sql), values)]


async def execute(engine: AsyncEngine, sql: str, **values: Any) -> None:
    async with engine.begin() as connection:
        await connection.execute(text(sql), values)
