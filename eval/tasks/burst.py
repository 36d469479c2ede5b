"""``python -m eval burst [--updates 10000] [--users 200] [--seed 1]``: many people at once, and a bot that is killed.

Updates come as fast as the simulated Telegram takes them; the bot is a process of its own that is killed with -9 in the
midst of sending and started again. A seed decides what is asked by whom, and after how many messages each kill comes;
what was on its way then is the machine's. At the end eval/scorers/burst.py reads the rows and Telegram's own log.

Scaled by ``--speed``: the limits of the simulator and the clock by which the bot paces itself. Not scaled: the lease,
the database, and how long a request takes. So above 1 the limit of each chat is still met, but the machine is slower
than the limit of all chats together; ``most in a second`` of the counts says how near to it a run came. Exit code 1
when there is a breach.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from eval.scorers.burst import OPEN, BurstScore, Wanted, score
from eval.simulators.botapi.start import botapi_process
from eval.simulators.botapi.telegram import Telegram
from eval.simulators.botapi.users import User
from eval.simulators.crew import Crew
from eval.simulators.server import own_server
from storage.engine import engine_of
from storage.migrate import migrate

# Each is asked at most once by a person, so that two answers that look the same are one too many.
COMMANDS = {"/queue": "queue", "/help": "help", "/nothing": "unknown_command"}
FIRST_MESSAGE = 1_000_000  # ids of messages whose updates are put into the queue as they are
LOOK_S = 0.05


@dataclass
class Burst:
    """What was done; printed with the score. ``updates`` counts every arrival, repeated ones too."""

    updates: int
    users: int
    seed: int
    kills: int
    speed: float
    did: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("links", "command", "press", "broken", "again"), 0)
    )
    killed: int = 0
    in_time: bool = True
    seconds: float = 0.0


class Crowd:
    """The people: what they do is the seed's, and ``wanted`` is what must come of it."""

    def __init__(self, burst: Burst, telegram: Telegram) -> None:
        self.burst, self.telegram = burst, telegram
        self.chance = random.Random(burst.seed)
        self.wanted = Wanted()
        self.users: list[User] = []
        self._left: dict[int, list[str]] = {}
        self._first: dict[int, int] = {}
        self._raw: list[dict[str, Any]] = []

    async def come(self) -> None:
        """Everybody starts the bot, before it runs."""
        for number in range(self.burst.users):
            user = await self.telegram.user(f"Reader {number}", language_code="zh-hans")
            self.users.append(user)
            self._left[user.id] = list(COMMANDS)
            self._first[user.id] = await user.send("/start")
            self.wanted.effects.add(f"welcome {user.id}")
        self.wanted.updates |= {f"update {u['update_id']}": "handled" for u in await self.telegram.pending()}

    async def act(self) -> None:
        """One after the other, as fast as they are taken."""
        for number in range(self.burst.updates - self.burst.users):
            user, wish = self.chance.choice(self.users), self.chance.random()
            if wish < 0.08 and self._raw:
                await self._did("again", self.telegram.push(**self.chance.choice(self._raw)))
            elif wish < 0.20:
                await self._did("press", self._press(user))
            elif wish < 0.24:
                await self._did("broken", self._broken(number))
            elif wish < 0.32 and self._left[user.id]:
                word = self._left[user.id].pop()
                self.wanted.effects.add(f"{COMMANDS[word]} {user.id}")
                await self._did("command", self._say(number, user, word))
            else:
                links = [f"http://10.0.0.7/{number}/{n}" for n in (1, 2)]  # private addresses, refused with a note each
                self.wanted.effects |= {f"about {link}" for link in links}
                await self._did("links", self._say(number, user, " ".join(links)))

    async def _did(self, what: str, deed: Any) -> None:
        await deed
        self.burst.did[what] += 1

    async def _say(self, number: int, user: User, words: str) -> None:
        message = {
            "message_id": FIRST_MESSAGE + number,
            "date": int(time.time()),  # noqa: TID251 - the simulation is the person, and has a watch
            "chat": {"id": user.id, "type": "private", "first_name": user.first_name},
            "from": {"id": user.id, "is_bot": False, "first_name": user.first_name},
            "text": words,
        }
        update_id = await self.telegram.push(message=message)
        self._raw.append({"update_id": update_id, "message": message})
        self.wanted.updates[f"update {update_id}"] = "handled"

    async def _press(self, user: User) -> None:
        """A button of a keyboard that is not there any more."""
        press = await user.press(self._first[user.id], "0:old", stale=True)
        self.wanted.updates[f"press {press.query_id}"] = "handled"
        self.wanted.effects.add(f"answer {press.query_id}")

    async def _broken(self, number: int) -> None:
        update_id = await self.telegram.push(message={"message_id": "none", "number": number})
        self.wanted.updates[f"update {update_id}"] = "set_aside"


class Siege:
    """One run on one server, one folder and one simulator."""

    def __init__(self, burst: Burst, telegram: Telegram, url: str, folder: Path) -> None:
        self.burst, self.telegram = burst, telegram
        self.engine: AsyncEngine = engine_of(url)
        self.crowd, self.crew = Crowd(burst, telegram), Crew()
        self._command = [sys.executable, "-m", "eval.simulators.burst_bot", url, str(folder), telegram.base]
        self._began = time.time()  # noqa: TID251 - as above

    async def run(self, *, time_limit_s: float) -> BurstScore:
        start = time.perf_counter()
        await migrate(self.engine)
        await self.crowd.come()
        people = ",".join(str(user.id) for user in self.crowd.users)
        self._command += [self.telegram.token, people, f"--epoch={self._began}", f"--speed={self.burst.speed}"]
        await self.crew.start(self._command)
        try:
            async with asyncio.timeout(time_limit_s), asyncio.TaskGroup() as group:
                group.create_task(self.crowd.act())
                group.create_task(self._kill())
            async with asyncio.timeout(time_limit_s - (time.perf_counter() - start)):
                await self._until_done()
        except TimeoutError:
            self.burst.in_time = False  # what is not done then is a breach of the score
        await self.crew.end()
        self.burst.seconds = round(time.perf_counter() - start, 1)
        return await score(self.engine, await self.telegram.log(), self.crowd.wanted)

    async def _kill(self) -> None:
        """Each kill after so many calls since the start before it, so that it hits a bot at work."""
        chance = random.Random(self.burst.seed + 1)
        most = max(4, self.burst.updates // (self.burst.kills + 1))
        seen = len(await self.telegram.do("log"))
        for _ in range(self.burst.kills):
            until = seen + chance.randint(max(1, most // 4), most)
            while seen < until:
                await asyncio.sleep(LOOK_S)
                seen += len(await self.telegram.do("log", since=seen))
            (bot,) = self.crew.workers
            await self.crew.kill(bot)
            self.burst.killed += 1
            await self.crew.start(self._command)

    async def _until_done(self) -> None:
        while await self._open():  # noqa: ASYNC110 - rows in other processes announce nothing here
            await asyncio.sleep(0.5)

    async def _open(self) -> bool:
        if await self.telegram.pending():
            return True
        async with self.engine.connect() as connection:
            return bool((await connection.execute(text(f"SELECT EXISTS ({OPEN})"))).scalar_one())


async def siege(burst: Burst, *, time_limit_s: float) -> BurstScore:
    async with own_server("burst") as (folder, _, url), botapi_process(speed=burst.speed) as telegram:
        made = Siege(burst, telegram, url, folder / "blobs")
        try:
            return await made.run(time_limit_s=time_limit_s)
        finally:
            await made.crew.end()
            await made.engine.dispose()


def main() -> int:
    parser = argparse.ArgumentParser(prog="eval burst", description=__doc__)
    parser.add_argument("--updates", type=int, default=10_000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds per second")
    parser.add_argument("--minutes", type=float, default=60)
    given = parser.parse_args()
    burst = Burst(given.updates, given.users, given.seed, given.kills, given.speed)
    found = asyncio.run(siege(burst, time_limit_s=given.minutes * 60))
    done = {"done": vars(burst), "counts": found.counts, "breaches": found.breaches}
    print(json.dumps(done, ensure_ascii=False, indent=1))
    return 1 if found.breaches or not burst.in_time or burst.killed < burst.kills else 0


if __name__ == "__main__":
    raise SystemExit(main())
