"""The fault matrix of the brief, each row on real processes: killed, frozen or starved, against a server that bills.

What is asserted are rows and the speech server's own counts. A run is ``whole`` when it ended once: one publication,
one voice note, every segment stored once; and ``speech.billed`` says what was paid for.

All rows share one data folder, one speech server, one chat process (``earmark up`` that makes no runs itself) and one
worker process that is frozen (SIGSTOP) unless a row wants it: a process takes seconds to start. Each row adds the
processes that it breaks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio

from eval.simulators.speech import CUT, LOST, SimulatedSpeech, hold, simulated_speech, status
from storage.embedded import EmbeddedPostgres
from storage.tx import WAKE_CHANNEL
from tests.support.folders import walkable
from tests.support.product import Product, Visitor, product, until, visitor, worker

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

THINGS = "水泵 风机 阀门 滤网 电缆 轴承".split()
BUDGET_S = 60
RUN = """
SELECT r.*, v.id AS revision, v.state AS revision_state, e.id AS episode_id, e.state AS episode, v.duration_ms,
       e.published_revision_id AS published
  FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id
  JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id WHERE s.name = $1
"""
CALLS = "SELECT state, fingerprint, call_seq FROM provider_call WHERE run_id = $1 AND effect = 'billed' ORDER BY id"
NAMED = "SELECT unnest(blob_keys) FROM stage_artifact UNION SELECT blob_key FROM source WHERE blob_key IS NOT NULL"
ROOT = Path(__file__).parents[2]
PLAN = """
SELECT i.episode_id, i.duration_ms, p.budget_ms, (p.local_date + 1)::timestamp AT TIME ZONE 'Asia/Shanghai' AS midnight
  FROM plan_item i JOIN daily_plan p ON p.id = i.plan_id
"""
RECEIPT = "SELECT id, payload FROM chat_message WHERE kind = 'receipt' AND subject_id = $1"


def article(name: str, paragraphs: int = 6) -> tuple[str, bytes]:
    """A file of which no sentence stands in another: what one run has spoken helps no other."""
    lines = [
        f"{name}的第{n}项检查发现，{thing}运行满{n * 100}小时后需要更换，否则温度会升到{40 + n}度，并且每天多耗电{n}度。"
        for n, thing in enumerate(THINGS[:paragraphs], start=1)
    ]
    return f"{name}.md", f"# {name}维护记录\n\n{chr(10) * 2}".encode() + "\n\n".join(lines).encode()


@dataclass
class Site:
    """What the rows share."""

    folder: Path
    speech: SimulatedSpeech
    chat: Product
    someone: Visitor
    spare: asyncio.subprocess.Process
    db: asyncpg.Connection
    url: str

    def settings(self, **more: str) -> dict[str, str]:
        return paid(self.speech, **more)

    async def send(self, name: str) -> None:
        assert (await self.someone.send("讲要点", article(name))).status_code < 400

    async def press(self, revision: int, verb: str) -> None:
        message = (await self.db.fetchrow(RECEIPT, revision))["id"]
        assert (await self.someone.press(verb, message, revision=revision)).status_code < 400

    @contextlib.asynccontextmanager
    async def working(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """The spare worker works; frozen again afterwards."""
        self.spare.send_signal(signal.SIGCONT)
        try:
            yield self.spare
        finally:
            self.spare.send_signal(signal.SIGSTOP)

    async def dies(self, name: str, point: str, **more: str) -> Any:
        """Send an article to a worker that is killed at ``point``; its run."""
        async with worker(self.folder, **self.settings(CRASH_AT=point, WORKER_CONCURRENCY="1", **more)) as process:
            await self.send(name)
            try:
                assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGKILL
            except TimeoutError:
                row = await self.run(name)
                events = row and await self.db.fetch(
                    "SELECT * FROM run_event WHERE run_id = $1 ORDER BY seq", row["id"]
                )
                raise AssertionError(f"not killed at {point}: pid {process.pid}, {row}, {events}") from None
        return await self.run(name)

    async def run(self, name: str) -> Any:
        return await self.db.fetchrow(RUN, f"{name}.md")

    async def calls(self, run_id: int) -> list[str]:
        return [row["state"] for row in await self.db.fetch(CALLS, run_id)]

    async def in_state(self, name: str, *states: str) -> Any:
        async def there() -> Any:
            row = await self.run(name)
            return row if row is not None and row["state"] in states else None

        return await until(there)

    async def says(self, revision: int, words: str) -> bool:
        row = await self.db.fetchrow(RECEIPT, revision)
        return row is not None and words in row["payload"]

    async def waiting(self, count: int) -> bool:
        """Whether so many transactions wait for a row of somebody else."""
        return await self.db.fetchval("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") >= count

    async def whole(self, name: str, *, again: int = 0) -> Any:
        """The run ended once, and what was paid for is its segments and ``again`` more. Returns its row."""
        row = await self.in_state(name, "SUCCEEDED", "FAILED")
        assert (row["state"], row["episode"], row["published"]) == ("SUCCEEDED", "PUBLISHED", row["revision"])
        voice = "SELECT count(*) FROM chat_message WHERE kind = 'voice' AND subject_id = $1"
        await until(lambda: self.db.fetchval(voice, row["revision"]))
        assert await self.db.fetchval(voice, row["revision"]) == 1
        kept = [r["fingerprint"] for r in await self.db.fetch(CALLS, row["id"]) if r["state"] == "STORED"]
        assert len(kept) == len(set(kept)) >= 3, "a segment was stored twice, or there are too few to lose one"
        assert not {"INTENT", "RECEIPT"} & set(await self.calls(row["id"])), "something is left open"
        assert len(self.paid_for(name)) == len(kept) + again
        return row

    def paid_for(self, name: str) -> list[str]:
        return [text for text in self.speech.billed if name in text]

    async def everything(self, row: Any) -> list[Any]:
        """Every row a late worker might have touched."""
        tables = ("run_event WHERE run_id = $1", "provider_call WHERE run_id = $1", "stage_artifact WHERE run_id = $1")
        found = [row] + [await self.db.fetch(f"SELECT * FROM {table} ORDER BY 1, 2", row["id"]) for table in tables]
        return [*found, await self.db.fetchrow("SELECT * FROM episode_revision WHERE id = $1", row["revision"])]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    path = tmp_path_factory.mktemp("faults")
    walkable(path)
    folder = path / "data"
    async with (
        simulated_speech() as speech,
        product(folder, **paid(speech, WORKER_CONCURRENCY="0")) as chat,
        database(folder) as db,
        worker(folder, **paid(speech, WORKER_CONCURRENCY="1")) as spare,
        visitor(chat) as someone,
    ):
        speech.s_per_beat = 0.14  # in a hurry, and still plausible
        spare.send_signal(signal.SIGSTOP)
        server = EmbeddedPostgres(folder / "postgres")
        site = Site(folder, speech, chat, someone, spare, db, await asyncio.to_thread(server.start))
        yield site
        await site.db.close()
        chat.process.kill()
        await asyncio.to_thread(server.close)


@pytest_asyncio.fixture(loop_scope="module")
async def site(shared: Site) -> AsyncIterator[Site]:
    """The shared site, with nothing of another row left to be done."""
    yield shared
    await shared.db.execute(
        "UPDATE generation_run SET state = 'CANCELLED', finished_at = now(), expires_at = NULL"
        " WHERE state NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED')"
    )
    shared.speech.on_synthesis.clear()
    shared.speech.on_download.clear()


def paid(speech: SimulatedSpeech, **more: str) -> dict[str, str]:
    """Settings of a process whose speech is the simulated service's."""
    return {
        "SPEECH_FAKE": "0",
        "TTS_DASHSCOPE_KEY": speech.key,
        "TTS_DASHSCOPE_URL": speech.address,
        "TTS_PRICE_MICRO_PER_CHAR": "80",
        "TTS_SEGMENT_CHARS": "120",
        "RETRY_BASE_S": "0.2",
        **more,
    }


@contextlib.asynccontextmanager
async def database(folder: Path) -> AsyncIterator[asyncpg.Connection]:
    server = EmbeddedPostgres(folder / "postgres")
    connection = await asyncpg.connect(await asyncio.to_thread(server.start))
    try:
        yield connection
    finally:
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):  # it may have been killed
            await connection.close()
        await asyncio.to_thread(server.close)


@contextlib.asynccontextmanager
async def holding(folder: Path, *episodes: int) -> AsyncIterator[asyncpg.Connection]:
    """Keep the rows of these episodes locked until ROLLBACK: whoever publishes them waits in the middle of it."""
    async with database(folder) as connection:
        await connection.execute("BEGIN")
        for episode in sorted(episodes):
            await connection.execute("SELECT 1 FROM episode WHERE id = $1 FOR UPDATE", episode)
        yield connection


async def test_exit_after_commit_before_dispatch(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Row 1 (RUN-1, RUN-3): business rows and run are committed and nobody was told; the next start finds the run.

    Killed at the commit itself, and again where the due run was leased for delivery and its message was lost.
    """
    path = tmp_path_factory.mktemp("before")
    walkable(path)
    folder = path / "data"
    async with simulated_speech() as speech:
        idle = paid(speech, WORKER_CONCURRENCY="0")
        async with product(folder, **idle, CRASH_AT="update_handled") as first, visitor(first) as someone:
            with contextlib.suppress(httpx.TransportError):  # it may die while it answers
                await someone.send("讲要点", article("甲站"))
            assert await first.killed() == -signal.SIGKILL
        async with database(folder) as db:
            row = await db.fetchrow(RUN, "甲站.md")
            assert (row["state"], row["attempts"], row["fence"]) == ("QUEUED", 0, 0)
            with pytest.raises(RuntimeError, match=f"ended with {-signal.SIGKILL}"):
                async with product(folder, **idle, CRASH_AT="dispatched"):
                    pass
            row = await db.fetchrow(RUN, "甲站.md")
            assert (row["state"], row["attempts"]) == ("QUEUED", 0)
            assert row["delivered_until"] is not None
            async with product(folder, **paid(speech)) as last, visitor(last) as someone:
                site = Site(folder, speech, last, someone, last.process, db, "")
                assert (await site.whole("甲站"))["attempts"] == 1
                last.process.kill()


async def test_duplicate_delivery(site: Site) -> None:
    """Row 2 (RUN-3, RUN-4): the same runs are announced again and again to two workers; each is attempted once."""
    names = ["乙一", "乙二", "乙三"]
    ending = asyncio.Event()

    async def announce() -> None:
        async with database(site.folder) as other:
            while not ending.is_set():
                await other.execute("UPDATE generation_run SET delivered_until = NULL WHERE state = 'QUEUED'")
                await other.execute(f"NOTIFY {WAKE_CHANNEL}")
                await asyncio.sleep(0.2)

    async with worker(site.folder, **site.settings(WORKER_CONCURRENCY="1")), site.working():
        again = asyncio.create_task(announce())
        for name in names:
            await site.send(name)
        ended = [await site.whole(name) for name in names]
        ending.set()
        await again
    started = "SELECT data->>'holder' FROM run_event WHERE run_id = $1 AND kind = 'attempt_started'"
    holders = [[r[0] for r in await site.db.fetch(started, row["id"])] for row in ended]
    assert [len(h) for h in holders] == [row["fence"] for row in ended] == [1, 1, 1]
    assert len({h[0] for h in holders}) == 2, "one worker did everything: nothing was delivered twice"


async def test_a_late_worker_after_takeover_writes_nothing_and_its_receipt_is_kept(site: Site) -> None:
    """Row 3 (RUN-4, RUN-8, TTS-1), twice.

    Frozen while it downloads: another finishes with its receipt, and what it does when it wakes moves nothing.
    Frozen between request and answer: the run waits for a person; the answer that comes late is a fact and is used.
    """
    async with worker(site.folder, **site.settings(WORKER_CONCURRENCY="1")) as late:
        held = site.speech.next_download(hold())
        await site.send("丙站")
        await until(lambda: _true(site.speech.downloads and len(site.speech.downloads) in site.speech.on_download))
        late.send_signal(signal.SIGSTOP)
        async with site.working():
            row = await site.whole("丙站")
        assert row["fence"] == 2
        before = await site.everything(row)
        held.release.set()
        held = site.speech.next_synthesis(hold())
        late.send_signal(signal.SIGCONT)
        await site.send("丁站")  # the late one takes it, so it has had its say about the other
        await until(lambda: _true(site.paid_for("丁站")))
        assert await site.everything(await site.run("丙站")) == before
        late.send_signal(signal.SIGSTOP)
        async with site.working():
            row = await site.in_state("丁站", "WAITING_REVIEW")
        assert await site.calls(row["id"]) == ["UNKNOWN"]
        held.release.set()
        late.send_signal(signal.SIGCONT)
        await until(lambda: _calls_are(site, row["id"], ["RECEIPT"]))
        now = await site.run("丁站")
        assert (now["state"], now["fence"], now["event_seq"]) == ("WAITING_REVIEW", row["fence"], row["event_seq"])
        await until(lambda: site.says(row["revision"], "放弃"))
        await site.press(row["revision"], "retry")
        await site.whole("丁站")  # nothing more was paid for


async def test_speech_made_and_download_failed(site: Site) -> None:
    """Row 4 (TTS-2): the url of the receipt is used again, after a kill and after bad answers; each is billed once."""
    await site.dies("戊站", "call_received")
    assert len(site.paid_for("戊站")) == 1
    downloads = len(site.speech.downloads)
    site.speech.next_download(status(503))
    site.speech.next_download(CUT, skip=1)
    async with site.working():
        row = await site.whole("戊站")
    assert row["attempts"] == 4  # killed, 503, cut off, done
    made = site.speech.downloads[downloads:]
    assert made[0] == made[1] == made[2] != made[3]
    assert len(made) == len(site.paid_for("戊站")) + 2


async def test_speech_sent_without_receipt(site: Site) -> None:
    """Row 5 (TTS-1): nobody knows whether it was made; only a person's press makes exactly what is missing anew."""
    site.speech.next_synthesis(LOST, skip=1)
    async with worker(site.folder, **site.settings(WORKER_CONCURRENCY="1")) as first:
        await site.send("己站")
        row = await site.in_state("己站", "WAITING_REVIEW")
        first.kill()
        await first.wait()
    assert await site.calls(row["id"]) == ["STORED", "UNKNOWN"]
    parts, missing = (json.loads(row["error_values"])[key] for key in ("parts", "missing"))
    assert missing == parts - 1
    async with site.working():
        site.speech.next_synthesis(LOST)
        await site.send("庚站")  # its whole life passes while the other one waits
        other = await site.in_state("庚站", "WAITING_REVIEW")
        await until(lambda: site.says(other["revision"], "放弃"))
        await site.press(other["revision"], "cancel")
        await site.in_state("庚站", "CANCELLED")
        assert len(site.paid_for("己站")) == 2, "the machine asked again by itself"
        assert await site.says(row["revision"], f"重试缺失的 {missing} 段")
        assert await site.says(row["revision"], "放弃")
        await site.press(row["revision"], "retry")
        await site.whole("己站", again=1)
    assert await site.calls(row["id"]) == ["STORED", "FAILED", *["STORED"] * missing]
    assert await site.calls(other["id"]) == ["UNKNOWN"]
    assert len(site.paid_for("庚站")) == 1


@pytest.mark.parametrize(("point", "name"), [("segment_stored", "辛站"), ("audio_stored", "壬站")])
async def test_object_stored_and_commit_failed(site: Site, point: str, name: str) -> None:
    """Row 6 (AUD-4, RUN-8): the bytes lie there and no row names them; found again, and nothing is spoken twice."""
    before = await asyncio.to_thread(_objects, site.folder)
    await site.dies(name, point)
    orphans = await asyncio.to_thread(_objects, site.folder) - before
    assert orphans
    async with site.working():
        await site.whole(name)
    named = {r[0] for r in await site.db.fetch(NAMED)}
    assert orphans <= named, "what lay there was not found, but written anew"


async def test_orphans_of_a_run_that_was_given_up_are_collected_later(site: Site) -> None:
    """Row 6 (AUD-4): the bytes of a killed attempt that no later one named, and nothing else; by the command."""
    row = await site.dies("寅站", "audio_stored")
    await until(lambda: site.says(row["revision"], "寅站"))
    await site.press(row["revision"], "cancel")
    async with site.working():
        await site.in_state("寅站", "CANCELLED")
    await site.db.execute("UPDATE stored_blob SET seen_at = now() - interval '2 days'")
    before = await asyncio.to_thread(_objects, site.folder)
    collected = await collect(site, "--apply")
    left = await asyncio.to_thread(_objects, site.folder)
    named = {r[0] for r in await site.db.fetch(NAMED)}
    assert len(before - left) >= 2, collected  # the two encodings at least
    assert not (before - left) & named
    assert named <= left
    gone = {r[0] for r in await site.db.fetch("SELECT key FROM stored_blob WHERE state = 'gone'")}
    assert before - left <= gone


async def collect(site: Site, *more: str) -> str:
    """``earmark blobs collect`` beside the running product; what it said."""
    command = [sys.executable, "-m", "bot", "blobs", "collect", "--data", str(site.folder), *more]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, cwd=ROOT
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
    return said.decode()


async def test_audio_good_and_publish_failed(site: Site) -> None:
    """Row 7 (PUB-2, RUN-2): killed before publishing; then the database dies in the middle of it; only that is repeated."""
    row = await site.dies("癸站", "publish_before")
    assert (row["revision_state"], row["episode"]) == ("AUDIO_READY", "OPEN")
    spoken = len(site.speech.syntheses)
    async with holding(site.folder, row["episode_id"]), site.working():
        await until(lambda: site.waiting(1))
        await asyncio.to_thread(_kill_server, site.folder)
        await until(lambda: _true(site.db.is_closed()))
        await until(lambda: _reconnected(site))
        done = await site.whole("癸站")
    assert len(site.speech.syntheses) == spoken
    assert done["duration_ms"] == row["duration_ms"]


async def test_two_episodes_published_at_once_into_one_plan(site: Site) -> None:
    """Row 8 (PUB-1, PUB-2): the day's sum holds, one waits for tomorrow, nothing is published twice or changed."""
    names = ["子站", "丑站"]
    settings = site.settings(LEASE_S="60", HEARTBEAT_S="10", WORKER_CONCURRENCY="2", DAY_BUDGET_S=str(BUDGET_S))
    async with worker(site.folder, **settings, CRASH_AT="publish_before:2") as armed:
        for name in names:
            await site.send(name)
        ready = [await until(lambda name=name: site.run(name)) for name in names]
        async with holding(site.folder, *(row["episode_id"] for row in ready)):
            assert await asyncio.wait_for(armed.wait(), 60) == -signal.SIGKILL
            ready = [await site.run(name) for name in names]
            assert [row["revision_state"] for row in ready] == ["AUDIO_READY"] * 2
    assert all(row["duration_ms"] < BUDGET_S * 1000 < 2 * row["duration_ms"] for row in ready)
    async with holding(site.folder, *(row["episode_id"] for row in ready)) as held, worker(site.folder, **settings):
        await site.db.execute("UPDATE generation_run SET expires_at = now() WHERE state = 'RUNNING'")
        await site.db.execute(f"NOTIFY {WAKE_CHANNEL}")
        await until(lambda: site.waiting(2))
        await held.execute("ROLLBACK")
        ended = {(await site.in_state(name, "SUCCEEDED", "DEFERRED"))["state"]: name for name in names}
    assert set(ended) == {"SUCCEEDED", "DEFERRED"}
    done, late = await site.run(ended["SUCCEEDED"]), await site.run(ended["DEFERRED"])
    plan = await site.db.fetch(PLAN)
    assert [(i["episode_id"], i["duration_ms"]) for i in plan] == [(done["episode_id"], done["duration_ms"])]
    assert sum(i["duration_ms"] for i in plan) <= plan[0]["budget_ms"] == BUDGET_S * 1000
    assert (done["published"], done["episode"]) == (done["revision"], "PUBLISHED")
    assert (late["published"], late["episode"], late["revision_state"]) == (None, "OPEN", "AUDIO_READY")
    assert (late["error_reason"], late["next_due_at"]) == ("no_room", plan[0]["midnight"])
    voices = "SELECT subject_id FROM outbox_message WHERE kind = 'voice' AND subject_id = ANY($1::bigint[])"
    said = await site.db.fetch(voices, [row["revision"] for row in ready])
    assert [r["subject_id"] for r in said] == [done["revision"]]
    assert [row["episode_id"] for row in ready] == [(await site.run(name))["episode_id"] for name in names]


async def _true(value: Any) -> bool:
    return bool(value)


async def _calls_are(site: Site, run_id: int, states: list[str]) -> bool:
    return await site.calls(run_id) == states


async def _reconnected(site: Site) -> bool:
    """Whether the chat process has started the killed server again, on its old port."""
    try:
        site.db = await asyncpg.connect(site.url)
    except (OSError, asyncpg.PostgresError):
        return False
    return True


def _objects(folder: Path) -> set[str]:
    """Keys of everything in the store."""
    root = folder / "blobs"
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def _kill_server(folder: Path) -> None:
    server = EmbeddedPostgres(folder / "postgres")
    server.start()
    pid = server.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    server.close()
