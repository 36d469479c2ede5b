"""``python -m eval chaos [--runs 1000] [--seed 1]``: many small runs while workers and the server are killed at random.

A seed decides what is submitted, who is killed when, and what the person presses; how far each process had come by
then is the machine's. At the end nothing is asked of a log: eval/scorers/ledger.py reads the rows. Exit code 1 when
there is a breach, or when something was still not done in time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from eval.scorers.ledger import LedgerScore, score
from eval.simulators.crew import Crew
from eval.simulators.server import own_server
from pipeline.commands.episode import Asking, Upload, cancel, retry, submit_source
from pipeline.domain.errors import Contention
from pipeline.domain.source import InputType
from pipeline.wiring import SystemClock
from storage.blobs import FolderBlobs
from storage.embedded import EmbeddedPostgres
from storage.engine import engine_of
from storage.migrate import migrate
from storage.transactions.owner.first_owner import chat_of, first_owner
from storage.tx import transaction

KILL_EVERY_S, SERVER_EVERY_S = (3.0, 9.0), (20.0, 45.0)
THINGS = "水泵 风机 阀门 滤网 电缆 轴承 皮带 仪表 油封 冷却塔".split()
NOT_ENDED = """
SELECT r.id, r.revision_id, r.state, r.owner_id FROM generation_run r
 WHERE r.state NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED') ORDER BY r.id
"""


@dataclass
class Chaos:
    """What was done to it; printed with the score."""

    runs: int
    seed: int
    submitted: int = 0
    workers_killed: int = 0
    workers_stopped: int = 0
    servers_killed: int = 0
    cancelled: int = 0
    decided: dict[str, int] = field(default_factory=lambda: {"retry": 0, "give_up": 0})
    submissions_repeated: int = 0
    seconds: float = 0.0


def small_text(number: int, chance: random.Random) -> str:
    """A few sentences that no other run has."""
    things = chance.sample(THINGS, k=chance.randint(2, 3))
    return "\n".join(
        f"第{number}号记录说明，{thing}在运行满{chance.randint(100, 999)}小时之后需要更换，否则每天多耗电{n + 2}度。"
        for n, thing in enumerate(things)
    )


class Storm:
    """One run of the simulation on one server and one folder."""

    def __init__(self, chaos: Chaos, server: EmbeddedPostgres, url: str, folder: Path, *, workers: int) -> None:
        self.chaos, self.server, self.url, self.folder = chaos, server, url, folder
        self.chance = random.Random(chaos.seed)
        self.engine: AsyncEngine = engine_of(url, patience_s=5)
        self.blobs = FolderBlobs(folder)
        self.crew = Crew()
        self._wanted = workers
        self.over = asyncio.Event()

    async def run(self, *, time_limit_s: float) -> LedgerScore:
        """Submit, kill, decide, until everything has ended; then read the rows."""
        start = time.perf_counter()
        await migrate(self.engine)
        for _ in range(self._wanted):
            await self._start_worker()
        async with asyncio.timeout(time_limit_s), asyncio.TaskGroup() as group:
            kills = [group.create_task(self._kill_workers()), group.create_task(self._kill_server())]
            persons = group.create_task(self._decide())
            await self._submit_all()
            await self._until_fewer_than(1)
            for task in (*kills, persons):
                task.cancel()
        await self.crew.end()
        self.chaos.seconds = round(time.perf_counter() - start, 1)
        return await score(self.engine)

    async def _start_worker(self) -> None:
        command = [sys.executable, "-m", "eval.simulators.chaos_worker", self.url, str(self.folder)]
        if self.chance.random() < 0.5:
            command.append("--billed")
        await self.crew.start(command)

    async def _kill_workers(self) -> None:
        while True:
            await asyncio.sleep(self.chance.uniform(*KILL_EVERY_S))
            worker = self.crew.workers[self.chance.randrange(len(self.crew.workers))]
            if self.chance.random() < 0.2:  # asleep past its lease, then it comes back and finds itself replaced
                self.chaos.workers_stopped += 1
                self.crew.freeze(worker)
                await self._start_worker()
                await asyncio.sleep(5)
                self.crew.wake(worker)
                await asyncio.sleep(1)
            else:
                self.chaos.workers_killed += 1
                await self._start_worker()
            await self.crew.kill(worker)

    async def _kill_server(self) -> None:
        while True:
            await asyncio.sleep(self.chance.uniform(*SERVER_EVERY_S))
            pid = self.server.pid()
            if pid is not None:
                self.chaos.servers_killed += 1
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                await asyncio.to_thread(self.server.ensure)

    async def _submit_all(self) -> None:
        for number in range(self.chaos.runs):
            body, wish = small_text(number, self.chance), self.chance.random()
            question = None if wish < 0.1 else "讲要点"
            await self._patiently(self._submit, number, body, question)
            if wish > 0.95:  # the same request once more: its sender did not hear the answer
                self.chaos.submissions_repeated += 1
                await self._patiently(self._submit, number, body, question)
            self.chaos.submitted += 1
            await self._until_fewer_than(40)

    async def _submit(self, number: int, body: str, question: str | None) -> None:
        async with transaction(self.engine) as tx:
            owner = await first_owner(tx, language="zh")
            chat = await chat_of(tx, owner_id=owner, channel="chaos", external_id=str(number % 7))
        blob = await self.blobs.put(body.encode(), owner_id=owner)
        async with transaction(self.engine) as tx:
            await submit_source(
                tx,
                Upload(f"{number}.txt", InputType.TEXT, blob.key, blob.sha256, blob.size_bytes),
                owner_id=owner,
                chat_id=chat,
                request_key=f"chaos:{number}",
                question=question,
                question_by="points",
                asking=Asking(1.0, {}),
                now=SystemClock().now(),
            )

    async def _decide(self) -> None:
        """The person: decides where an outcome is unknown, and cancels now and then."""
        while True:
            await asyncio.sleep(0.7)
            with contextlib.suppress(OSError, Contention):
                for _, revision, state, owner in await self._open_runs():
                    if state == "WAITING_REVIEW":
                        again = self.chance.random() < 0.8
                        self.chaos.decided["retry" if again else "give_up"] += 1
                        async with transaction(self.engine) as tx:
                            if again:
                                await retry(tx, owner_id=owner, revision_id=revision, now=SystemClock().now())
                            else:
                                await cancel(tx, owner_id=owner, revision_id=revision)
                    elif self.chance.random() < 0.002:
                        self.chaos.cancelled += 1
                        async with transaction(self.engine) as tx:
                            await cancel(tx, owner_id=owner, revision_id=revision)

    async def _open_runs(self) -> list[tuple[int, int, str, int]]:
        try:
            async with self.engine.connect() as connection:
                rows = (await connection.execute(text(NOT_ENDED))).all()
        except SQLAlchemyError as error:
            raise OSError(str(error)) from error
        return [(r.id, r.revision_id, r.state, r.owner_id) for r in rows]

    async def _waiting(self) -> int:
        with contextlib.suppress(OSError):
            return len(await self._open_runs())
        return 1_000_000

    async def _until_fewer_than(self, open_runs: int) -> None:
        while await self._waiting() >= open_runs:  # noqa: ASYNC110 - rows in other processes announce nothing here
            await asyncio.sleep(0.3)

    async def _patiently(self, act: Any, *arguments: Any) -> None:
        while True:
            try:
                await act(*arguments)
            except (OSError, Contention):
                await asyncio.sleep(0.3)
            else:
                return


async def storm(chaos: Chaos, *, workers: int, time_limit_s: float) -> LedgerScore:
    async with own_server("chaos") as (folder, server, url):
        made = Storm(chaos, server, url, folder / "blobs", workers=workers)
        try:
            return await made.run(time_limit_s=time_limit_s)
        finally:
            await made.crew.end()
            await made.engine.dispose()


def main() -> int:
    parser = argparse.ArgumentParser(prog="eval chaos", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    chaos = Chaos(options.runs, options.seed)
    found = asyncio.run(storm(chaos, workers=options.workers, time_limit_s=options.minutes * 60))
    print(json.dumps({"done": vars(chaos), "counts": found.counts, "breaches": found.breaches}, ensure_ascii=False,
                     indent=1, default=str))  # fmt: skip
    return 1 if found.breaches else 0


if __name__ == "__main__":
    raise SystemExit(main())
