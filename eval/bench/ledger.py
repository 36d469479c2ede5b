"""``python -m eval.bench.ledger``: our ledger beside procrastinate and DBOS, durable, on one PostgreSQL, in one run.

Ours does the whole of a run: source, episode, revision, run and first event in one transaction, a claim with a fence
and a lease, stage events under the fence, receipts for the chat, the end. The others run an empty job. Each side takes
turns; the best of the rounds counts for both, and the ratio is what is judged. Latency is from the commit of an
enqueue on an idle worker to the start of its job. ``--million`` adds 1,000,000 finished runs and looks at the claim
again, by time and by EXPLAIN.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from eval.bench.engines import dbos_rates, procrastinate_rates
from pipeline.domain.run import RunLimits, Stage
from pipeline.graphs.attempt import Attempt, Tools
from pipeline.wiring import SystemClock
from pipeline.worker.loop import Loop
from storage.embedded import EmbeddedPostgres
from storage.engine import engine_of
from storage.listen import Listener
from storage.migrate import migrate
from storage.transactions.owner.first_owner import chat_of, first_owner
from storage.transactions.run.claim import CLAIM_DUE
from storage.transactions.run.event import guarded_event
from storage.transactions.run.finish import succeeded
from storage.transactions.source.submit import Submission, submit
from storage.tx import transaction

WORKERS = 8


def _tools(engine: AsyncEngine) -> Tools:
    """Only what an empty stage touches; everything else of the product would be a defect to reach."""
    nothing: Any = None
    return Tools(
        engine=engine,
        blobs=nothing,
        clock=SystemClock(),
        fetcher=nothing,
        parser=nothing,
        recogniser=nothing,
        embedder=nothing,
        tts=nothing,
        media=nothing,
        voice="",
        lexicon=nothing,
        limits=nothing,
        crash=lambda point: None,
    )


async def _submit(engine: AsyncEngine, owner: int, chat: int) -> None:
    key = str(uuid.uuid4())
    submission = Submission(
        owner_id=owner,
        chat_id=chat,
        request_key=key,
        payload_sha256=key,
        input_type="text",
        name="a.txt",
        origin=None,
        note=None,
        blob_key="o/1/aa/aa",
        raw_sha256="aa",
        size_bytes=1,
        question="q",
        question_by="person",
        ask_until=None,
        settings={},
    )
    async with transaction(engine) as tx:
        await submit(tx, submission, now=SystemClock().now())


async def _noop(attempt: Attempt) -> None:
    """One stage: begun, done, ended, each under the fence."""
    await attempt.enter(Stage.READ)
    async with transaction(attempt.tools.engine) as tx:
        await guarded_event(tx, run_id=attempt.run_id, fence=attempt.fence, kind="stage_done", stage=Stage.READ)
        await succeeded(tx, run_id=attempt.run_id)


def _loop(engine: AsyncEngine, wake: Listener, act: Callable[[Attempt], Awaitable[None]]) -> Loop:
    return Loop(
        tools=_tools(engine),
        wake=wake,
        holder="bench",
        limits=RunLimits(),
        new_id=uuid.uuid4,
        jitter=lambda: 0.0,
        act=act,
    )


async def own_rates(url: str, *, runs: int) -> dict[str, float]:
    """``submit_s``, ``runs_s`` (claim to end) and ``end_to_end_s``, each per second."""
    engine, wake = engine_of(url, pool_size=20), Listener(url)
    try:
        await migrate(engine)
        wake.start()
        async with transaction(engine) as tx:
            owner = await first_owner(tx, language="zh")
            chats = [await chat_of(tx, owner_id=owner, channel="bench", external_id=str(n)) for n in range(WORKERS)]
        start = time.perf_counter()
        per = runs // WORKERS

        async def one(chat: int) -> None:
            for _ in range(per):
                await _submit(engine, owner, chat)

        await asyncio.gather(*(one(chat) for chat in chats))
        submitted = time.perf_counter() - start
        loop = _loop(engine, wake, _noop)
        start = time.perf_counter()
        work = asyncio.create_task(loop.run(concurrency=WORKERS))
        await _until(engine, "SELECT NOT EXISTS (SELECT 1 FROM generation_run WHERE state <> 'SUCCEEDED')")
        worked = time.perf_counter() - start
        loop.stopping.set()
        await work
        return {
            "submit_s": per * WORKERS / submitted,
            "runs_s": per * WORKERS / worked,
            "end_to_end_s": per * WORKERS / (submitted + worked),
        }
    finally:
        await wake.close()
        await engine.dispose()


async def own_latency(url: str, *, times: int) -> list[float]:
    """Milliseconds from the commit of a submission to the start of its attempt, on an idle worker."""
    engine, wake = engine_of(url), Listener(url)
    started: asyncio.Queue[float] = asyncio.Queue()

    async def act(attempt: Attempt) -> None:
        started.put_nowait(time.perf_counter())
        await _noop(attempt)

    try:
        wake.start()
        async with transaction(engine) as tx:
            owner = await first_owner(tx, language="zh")
            chat = await chat_of(tx, owner_id=owner, channel="bench", external_id="0")
        loop = _loop(engine, wake, act)
        work = asyncio.create_task(loop.run(concurrency=4))
        await asyncio.sleep(1)
        found = []
        for _ in range(times):
            await _submit(engine, owner, chat)
            committed = time.perf_counter()
            found.append((await started.get() - committed) * 1000)
            await asyncio.sleep(0.05)
        loop.stopping.set()
        await work
        return found
    finally:
        await wake.close()
        await engine.dispose()


async def _until(engine: AsyncEngine, sql: str) -> None:
    async with asyncio.timeout(300):
        while True:
            async with engine.connect() as connection:
                if (await connection.execute(text(sql))).scalar_one():
                    return
            await asyncio.sleep(0.05)


FILL = """
INSERT INTO generation_run (owner_id, kind, request_key, source_id, revision_id, state, next_due_at, settings,
                            event_seq, finished_at)
SELECT r.owner_id, 'INTAKE', 'filled:' || n, r.source_id, r.revision_id, 'SUCCEEDED', now(), '{}', 1, now()
  FROM (SELECT * FROM generation_run ORDER BY id LIMIT 1) r, generate_series(1, :n) n
"""


async def million(url: str, *, n: int) -> dict[str, Any]:
    """Claim times (ms, median of 50) before and after ``n`` finished runs, and the plan of the claim after."""
    engine = engine_of(url)
    due = SystemClock().now() + timedelta(seconds=60)  # the run below is due by then
    values = {"holder": "b", "attempt": uuid.uuid4(), "lease_s": 60.0, "max_attempts": 4, "now": due, "only": None}

    async def claims() -> float:
        took = []
        for _ in range(50):
            async with engine.connect() as connection:
                start = time.perf_counter()
                await connection.execute(text(CLAIM_DUE), values)
                took.append((time.perf_counter() - start) * 1000)
                await connection.rollback()
        return sorted(took)[len(took) // 2]

    try:
        async with transaction(engine) as tx:
            owner = await first_owner(tx, language="zh")
            chat = await chat_of(tx, owner_id=owner, channel="bench", external_id="0")
        await _submit(engine, owner, chat)
        before = await claims()
        async with engine.begin() as connection:
            await connection.execute(text(FILL), {"n": n})
        async with engine.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text("VACUUM ANALYZE generation_run"))
        after = await claims()
        async with engine.connect() as connection:
            plan = (await connection.execute(text("EXPLAIN (ANALYZE, BUFFERS) " + CLAIM_DUE), values)).scalars().all()
            await connection.rollback()
        return {"finished_runs": n, "before_ms": before, "after_ms": after, "plan": list(plan)}
    finally:
        await engine.dispose()


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50_ms": round(ordered[len(ordered) // 2], 2), "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="eval.bench.ledger", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--million", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="earmark-ledger-") as folder:
        os.chmod(folder, 0o755)  # the server may run as another user
        server = EmbeddedPostgres(Path(folder) / "pg")
        url = server.start()
        try:
            result = _rounds(server, url, options.runs, options.rounds)
            if options.million:
                result["million"] = asyncio.run(million(url, n=1_000_000))
        finally:
            with suppress(OSError):
                server.close()
    print(json.dumps(result, ensure_ascii=False, indent=1))
    return 0


def _rounds(server: EmbeddedPostgres, url: str, runs: int, rounds: int) -> dict[str, Any]:
    ours: list[dict[str, float]] = []
    theirs: dict[str, list[float]] = {"procrastinate": [], "dbos": []}
    for _ in range(rounds):
        ours.append(asyncio.run(own_rates(url, runs=runs)))
        theirs["procrastinate"].append(asyncio.run(procrastinate_rates(url, jobs=runs)))
        theirs["dbos"].append(dbos_rates(url, jobs=max(100, runs // 4)))
    best = {key: max(row[key] for row in ours) for key in ours[0]}
    peers = {name: max(rates) for name, rates in theirs.items()}
    return {
        "load": round(os.getloadavg()[0], 2),
        "ours": {key: round(value, 1) for key, value in best.items()},
        "peers_end_to_end_s": {name: round(rate, 1) for name, rate in peers.items()},
        "ratio_to_procrastinate": round(best["end_to_end_s"] / peers["procrastinate"], 2),
        "ratio_to_dbos": round(best["end_to_end_s"] / peers["dbos"], 2),
        "enqueue_to_start": percentiles(asyncio.run(own_latency(url, times=100))),
    }


if __name__ == "__main__":
    raise SystemExit(main())
