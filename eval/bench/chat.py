"""``python -m eval.bench.chat``: the chat path beside a bare aiogram echo bot, on one simulated Telegram, in one run.

Ours stores each update, handles it, writes the answer as a row, claims, sends and settles it, on a durable PostgreSQL;
the echo answers from memory. Each person writes once, and each update gets one answer on both sides. ``row``: from
handing an update to Telegram until its row is committed and may be acknowledged; ``call``: until the answer stands in
the chat. Rates are open loop: what is not done in time makes the later ones wait, and the figures say so. Bot,
Telegram, database and bench share the machine: only the ratios travel.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import text

from eval.bench.ledger import percentiles
from eval.simulators.botapi.log import Call
from eval.simulators.botapi.start import botapi_process
from eval.simulators.botapi.telegram import Telegram
from eval.simulators.crew import Crew
from eval.simulators.server import own_server
from storage.engine import engine_of
from storage.migrate import migrate

Side = Literal["ours", "echo"]
OFF_RATES, ON_RATE = (50, 200), 15  # updates per second, with Telegram's limits off and on
WAIT_S = 90.0  # for the last answer
WARM = 20  # people who write before the clock runs: first connections and first statements are not the path


@dataclass
class Bench:
    """One server, one folder; each measurement has a simulator of its own and empty tables."""

    url: str
    folder: Path
    seconds: float

    async def latency(self, side: Side, rate: int, *, limits: bool) -> dict[str, Any]:
        """p50 and p95 (ms) of ``row`` and ``call`` at ``rate`` updates per second."""
        async with (
            self._telegram(int(rate * self.seconds) + WARM, limits=limits) as (telegram, people),
            self._bot(side, telegram, people, limits=limits),
        ):
            await telegram.polled(timeout_s=30)
            await _open_loop(telegram, people[:WARM], rate)
            await _answered(telegram, WARM)
            pushed = await _open_loop(telegram, people[WARM:], rate)
            log = await _answered(telegram, len(people))
        calls = {c.chat_id: c.at for c in reversed(log) if c.sends and c.happened}
        found: dict[str, Any] = {
            "call": percentiles([(calls[who] - at) * 1000 for who, (_, at) in pushed.items() if who in calls]),
            "unanswered": len(pushed.keys() - calls.keys()),
            "refused_429": sum(1 for c in log if c.status == 429),
        }
        if side == "ours":
            rows = {int(i): float(at) for i, at in (x.split() for x in self._times.read_text().splitlines())}
            found["row"] = percentiles([(rows[i] - at) * 1000 for i, at in pushed.values() if i in rows])
        return found

    async def throughput(self, side: Side, updates: int, *, limits: bool = False) -> float:
        """Answers per second over a backlog of ``updates``, from the bot's first call (getMe) to its last."""
        async with self._telegram(updates, limits=limits) as (telegram, people):
            for who in people:
                await telegram.push(message=message(who))
            async with self._bot(side, telegram, people, limits=limits):
                log = await _answered(telegram, updates)
        sends: list[float] = [c.at for c in log if c.sends and c.happened]
        began: float = next(c.at for c in log if c.method == "getMe")
        return len(sends) / (max(sends) - began)

    @property
    def _times(self) -> Path:
        return self.folder / "times"

    @asynccontextmanager
    async def _telegram(self, people: int, *, limits: bool) -> AsyncIterator[tuple[Telegram, list[int]]]:
        engine = engine_of(self.url)
        async with engine.begin() as connection:
            await connection.execute(text("TRUNCATE owner, chat, gateway CASCADE"))
        await engine.dispose()
        async with botapi_process() as telegram:
            await telegram.limits(flood=limits)
            yield telegram, [(await telegram.user(f"Reader {n}")).id for n in range(people)]

    @asynccontextmanager
    async def _bot(self, side: Side, telegram: Telegram, people: list[int], *, limits: bool) -> AsyncIterator[None]:
        command = [sys.executable, "-m"]
        if side == "echo":
            command += ["eval.simulators.echo_bot", telegram.base, telegram.token]
        else:
            who = ",".join(map(str, people))
            command += ["eval.simulators.burst_bot", self.url, str(self.folder / "blobs"), telegram.base]
            command += [telegram.token, who, "--epoch=0", f"--times={self._times}"]
            command += [] if limits else ["--pace-off"]
        crew = Crew()
        try:
            await crew.start(command)
            yield
        finally:
            await crew.end()


def message(who: int) -> dict[str, Any]:
    """A short message whose answer is one message, by the echo as by us."""
    person = {"id": who, "is_bot": False, "first_name": "Reader"}
    chat = {"id": who, "type": "private", "first_name": "Reader"}
    return {"message_id": 1_000_000, "date": int(_now()), "chat": chat, "from": person, "text": "/nothing"}


def _now() -> float:
    return time.time()  # noqa: TID251 - a bench measures the machine's own time


async def _open_loop(telegram: Telegram, people: list[int], rate: int) -> dict[int, tuple[int, float]]:
    """One update of each person, on time whatever became of the others: person → update id, Unix seconds."""
    pushed: dict[int, tuple[int, float]] = {}

    async def one(who: int) -> None:
        at = _now()
        pushed[who] = (await telegram.push(message=message(who)), at)

    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, who in enumerate(people):
            await asyncio.sleep(max(0.0, start + number / rate - time.perf_counter()))
            group.create_task(one(who))
    return pushed


async def _answered(telegram: Telegram, updates: int) -> list[Call]:
    """The log once there are as many answers as updates, or after ``WAIT_S``."""
    seen = count = 0
    until = time.perf_counter() + WAIT_S
    while count < updates and time.perf_counter() < until:
        await asyncio.sleep(0.3)
        news = await telegram.do("log", since=seen)
        seen += len(news)
        count += sum(1 for c in news if c["method"] == "sendMessage" and c["outcome"] in ("done", "lost"))
    return await telegram.log()


async def measured(bench: Bench, *, backlog: int, rounds: int) -> dict[str, Any]:
    load = round(os.getloadavg()[0], 2)
    sides: tuple[Side, ...] = ("ours", "echo")
    best: dict[Side, float] = dict.fromkeys(sides, 0.0)
    for _ in range(rounds):
        for side in sides:
            best[side] = max(best[side], await bench.throughput(side, backlog))
            print(f"answers_s {side} {best[side]:.1f}", file=sys.stderr, flush=True)
    latencies: dict[str, Any] = {}
    for rate, limits in [*((r, False) for r in OFF_RATES), (ON_RATE, True)]:
        name = f"{rate}/s, limits {'on' if limits else 'off'}"
        latencies[name] = {side: await bench.latency(side, rate, limits=limits) for side in sides}
        print(f"{name} {latencies[name]}", file=sys.stderr, flush=True)
    calm = latencies[f"{OFF_RATES[0]}/s, limits off"]
    return {
        "load": load,
        "answers_s": {side: round(rate, 1) for side, rate in best.items()},
        "answers_s_limits_on": round(await bench.throughput("ours", backlog // 2, limits=True), 1),  # 25 are allowed
        "ratio_to_echo": round(best["ours"] / best["echo"], 3),
        "latency": latencies,
        "durability_costs": {
            "ms_per_answer": round(1000 / best["ours"] - 1000 / best["echo"], 2),
            f"p50_ms_at_{OFF_RATES[0]}_s": round(calm["ours"]["call"]["p50_ms"] - calm["echo"]["call"]["p50_ms"], 2),
        },
    }


async def run(*, seconds: float, backlog: int, rounds: int) -> dict[str, Any]:
    async with own_server("chat") as (folder, _, url):
        engine = engine_of(url)
        await migrate(engine)
        await engine.dispose()
        return await measured(Bench(url, folder, seconds), backlog=backlog, rounds=rounds)


def main() -> int:
    parser = argparse.ArgumentParser(prog="eval.bench.chat", description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each rate is held")
    parser.add_argument("--backlog", type=int, default=600, help="updates of a throughput round")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    found = asyncio.run(run(seconds=given.seconds, backlog=given.backlog, rounds=given.rounds))
    print(json.dumps(found, ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
