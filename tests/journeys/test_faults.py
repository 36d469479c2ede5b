"""The fault matrix of the brief, each row on real processes: killed, frozen or starved, against a server that bills.

What is asserted are rows and the speech server's own counts. A run is ``whole`` when it ended once: one publication,
one voice note, every segment stored once; and ``speech.billed`` says what was paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from eval.simulators.speech import CUT, LOST, SimulatedSpeech, hold, simulated_speech, status
from storage.embedded import EmbeddedPostgres
from storage.tx import WAKE_CHANNEL
from tests.support.folders import walkable
from tests.support.product import Visitor, product, until, visitor, worker

pytestmark = pytest.mark.slow

THINGS = "水泵 风机 阀门 滤网 电缆 轴承 皮带 仪表 油封 冷却塔 压力表 减速机 电动机 变频器 接触器 保险丝".split()
BUDGET_S = 150
RUN = """
SELECT r.*, v.id AS revision, v.state AS revision_state, e.id AS episode_id, e.state AS episode, v.duration_ms,
       e.published_revision_id AS published
  FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id
  JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id WHERE s.name = $1
"""
CALLS = "SELECT state, fingerprint, call_seq FROM provider_call WHERE run_id = $1 AND effect = 'billed' ORDER BY id"
RECEIPT = "SELECT id, payload FROM chat_message WHERE kind = 'receipt' AND subject_id = $1"


def article(name: str, paragraphs: int = 16) -> tuple[str, bytes]:
    """A file of which no sentence stands in another: what one run has spoken helps no other."""
    lines = [
        f"{name}的第{n}项检查发现，{thing}运行满{n * 100}小时后需要更换，否则温度会升到{40 + n}度，并且每天多耗电{n}度。"
        for n, thing in enumerate(THINGS[:paragraphs], start=1)
    ]
    return f"{name}.md", f"# {name}维护记录\n\n{chr(10) * 2}".encode() + "\n\n".join(lines).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults")
    walkable(path)
    return path / "data"


@pytest.fixture
async def speech() -> AsyncIterator[SimulatedSpeech]:
    async with simulated_speech() as server:
        server.s_per_beat = 0.14  # in a hurry, and still plausible
        yield server


def paid(speech: SimulatedSpeech, **more: str) -> dict[str, str]:
    """Settings of a process whose speech is the simulated service's."""
    return {
        "SPEECH_FAKE": "0",
        "TTS_DASHSCOPE_KEY": speech.key,
        "TTS_DASHSCOPE_URL": speech.address,
        "TTS_PRICE_MICRO_PER_CHAR": "80",
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


HELD = "episodes held"


@contextlib.asynccontextmanager
async def holding(folder: Path, *episodes: int) -> AsyncIterator[None]:
    """Keep the rows of these episodes locked: whoever publishes them waits in the middle of it."""
    async with database(folder) as connection:
        await connection.execute(f"SET application_name = '{HELD}'")
        await connection.execute("BEGIN")
        for episode in sorted(episodes):
            await connection.execute("SELECT 1 FROM episode WHERE id = $1 FOR UPDATE", episode)
        yield


async def _waiting(db: asyncpg.Connection, count: int) -> bool:
    """Whether so many transactions wait for a row of somebody else."""
    sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    return await db.fetchval(sql) >= count


async def _let_go(db: asyncpg.Connection) -> None:
    await db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", HELD)


async def send(someone: Visitor, name: str) -> None:
    with contextlib.suppress(httpx.TransportError):  # the process may be killed while it answers
        assert (await someone.send("讲要点", article(name))).status_code < 400


async def run_of(db: asyncpg.Connection, name: str) -> Any:
    return await db.fetchrow(RUN, f"{name}.md")


async def in_state(db: asyncpg.Connection, name: str, *states: str) -> Any:
    async def there() -> Any:
        row = await run_of(db, name)
        return row if row is not None and row["state"] in states else None

    return await until(there)


async def calls(db: asyncpg.Connection, run_id: int) -> list[str]:
    return [row["state"] for row in await db.fetch(CALLS, run_id)]


async def whole(db: asyncpg.Connection, name: str, speech: SimulatedSpeech, *, again: int = 0) -> Any:
    """The run ended once, and what was paid for is its segments and ``again`` more. Returns its row."""
    await in_state(db, name, "SUCCEEDED", "FAILED")
    row = await run_of(db, name)
    assert (row["state"], row["episode"], row["published"]) == ("SUCCEEDED", "PUBLISHED", row["revision"])
    voice = "SELECT count(*) FROM chat_message WHERE kind = 'voice' AND subject_id = $1"
    await until(lambda: db.fetchval(voice, row["revision"]))
    assert await db.fetchval(voice, row["revision"]) == 1
    kept = [r["fingerprint"] for r in await db.fetch(CALLS, row["id"]) if r["state"] == "STORED"]
    assert len(kept) == len(set(kept)) >= 2, "a segment was stored twice, or there is only one to lose"
    assert not {"INTENT", "RECEIPT"} & set(await calls(db, row["id"])), "something is left open"
    texts = [text for text in speech.billed if name in text]
    assert len(texts) == len(kept) + again
    return row


async def pressed(db: asyncpg.Connection, someone: Visitor, revision: int, verb: str) -> None:
    message = (await db.fetchrow(RECEIPT, revision))["id"]
    assert (await someone.press(verb, message, revision=revision)).status_code < 400


async def test_exit_after_commit_before_dispatch(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 1 (RUN-1, RUN-3): business rows and run are committed, and nobody was told; the next start finds the run."""
    stopped = paid(speech, WORKER_CONCURRENCY="0", CRASH_AT="update_handled")
    async with product(folder, **stopped) as first, visitor(first) as someone:
        await send(someone, "甲站")
        assert await first.killed() == -signal.SIGKILL
    async with database(folder) as db:
        row = await run_of(db, "甲站")
        assert (row["state"], row["attempts"], row["fence"]) == ("QUEUED", 0, 0)
        # ... and once more where a due run was leased for delivery and the message of it was lost.
        async with product(folder, **paid(speech, WORKER_CONCURRENCY="0", CRASH_AT="dispatched")) as second:
            assert await second.killed() == -signal.SIGKILL
        row = await run_of(db, "甲站")
        assert (row["state"], row["attempts"]) == ("QUEUED", 0)
        assert row["delivered_until"] is not None
        async with product(folder, **paid(speech)):
            row = await whole(db, "甲站", speech)
            assert row["attempts"] == 1


async def test_duplicate_delivery(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 2 (RUN-3, RUN-4): the same runs are announced again and again to two workers; each is attempted once."""
    settings = paid(speech, LEASE_S="30", HEARTBEAT_S="5", WORKER_CONCURRENCY="1")
    names = ["乙一", "乙二", "乙三"]
    async with (
        product(folder, **{**settings, "WORKER_CONCURRENCY": "0"}) as chat,
        worker(folder, **settings),
        worker(folder, **settings),
        visitor(chat) as someone,
        database(folder) as db,
    ):
        ending = asyncio.Event()

        async def announce() -> None:
            async with database(folder) as other:
                while not ending.is_set():
                    await other.execute("UPDATE generation_run SET delivered_until = NULL WHERE state = 'QUEUED'")
                    await other.execute(f"NOTIFY {WAKE_CHANNEL}")
                    await asyncio.sleep(0.02)

        again = asyncio.create_task(announce())
        for name in names:
            await send(someone, name)
        holders = set()
        for name in names:
            row = await whole(db, name, speech)
            assert (row["attempts"], row["fence"]) == (1, 1)
            started = await db.fetch(
                "SELECT data FROM run_event WHERE run_id = $1 AND kind = 'attempt_started'", row["id"]
            )
            assert len(started) == 1
            holders.add(started[0]["data"])
        ending.set()
        await again
        assert len(holders) == 2, "one worker did everything: nothing was delivered twice"


async def test_a_late_worker_after_takeover_writes_nothing(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 3 (RUN-4, RUN-8): frozen while it downloads; another finishes with its receipt; the late one moves nothing."""
    settings = paid(speech, WORKER_CONCURRENCY="1")
    async with (
        product(folder, **{**settings, "WORKER_CONCURRENCY": "0"}) as chat,
        worker(folder, **settings) as late,
        visitor(chat) as someone,
        database(folder) as db,
    ):
        held = speech.next_download(hold())
        await send(someone, "丙站")
        await until(lambda: _true(speech.downloads))
        late.send_signal(signal.SIGSTOP)
        async with worker(folder, **settings) as other:
            row = await whole(db, "丙站", speech)
            assert (row["attempts"], row["fence"]) == (2, 2)
            before = await _everything(db, row)
            other.terminate()
            await other.wait()
        held.release.set()
        late.send_signal(signal.SIGCONT)
        await send(someone, "丙后")  # the late one does it, so it has had its say about the other
        await whole(db, "丙后", speech)
        assert await _everything(db, await run_of(db, "丙站")) == before


async def test_a_late_receipt_is_kept_and_used(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 3 (TTS-1): frozen between the request and its answer; the answer that comes after takeover is a fact."""
    settings = paid(speech, WORKER_CONCURRENCY="1")
    async with (
        product(folder, **{**settings, "WORKER_CONCURRENCY": "0"}) as chat,
        worker(folder, **settings) as late,
        visitor(chat) as someone,
        database(folder) as db,
    ):
        held = speech.next_synthesis(hold())
        await send(someone, "丁站")
        await until(lambda: _true(speech.billed))
        late.send_signal(signal.SIGSTOP)
        async with worker(folder, **settings) as other:
            row = await in_state(db, "丁站", "WAITING_REVIEW")
            assert await calls(db, row["id"]) == ["UNKNOWN"]
            other.terminate()
            await other.wait()
        held.release.set()
        late.send_signal(signal.SIGCONT)
        await until(lambda: _calls_are(db, row["id"], ["RECEIPT"]))
        now = await run_of(db, "丁站")
        assert (now["state"], now["fence"], now["event_seq"]) == ("WAITING_REVIEW", row["fence"], row["event_seq"])
        await pressed(db, someone, row["revision"], "retry")
        await whole(db, "丁站", speech)  # nothing more was paid for


async def test_speech_made_and_download_failed(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 4 (TTS-2): the url of the receipt is used again, after bad answers and after a kill; each is billed once."""
    async with product(folder, **paid(speech, CRASH_AT="call_received")) as first, visitor(first) as someone:
        await send(someone, "戊站")
        assert await first.killed() == -signal.SIGKILL
    assert (len(speech.billed), len(speech.downloads)) == (1, 0)
    speech.next_download(status(503))
    speech.next_download(CUT, skip=1)
    async with product(folder, **paid(speech)), database(folder) as db:
        row = await whole(db, "戊站", speech)
        assert row["attempts"] == 4  # killed, 503, cut off, done
        assert speech.downloads[:3] == ["/result/1.wav"] * 3
        assert len(speech.downloads) == len(speech.billed) + 2


async def test_speech_sent_without_receipt(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 5 (TTS-1): nobody knows whether it was made; only a person's press makes exactly what is missing anew."""
    speech.next_synthesis(LOST, skip=1)
    async with product(folder, **paid(speech)) as first, visitor(first) as someone, database(folder) as db:
        await send(someone, "己站")
        row = await in_state(db, "己站", "WAITING_REVIEW")
        assert await calls(db, row["id"]) == ["STORED", "UNKNOWN"]
        first.process.kill()
        await first.killed()
    async with product(folder, **paid(speech)) as second, visitor(second) as someone, database(folder) as db:
        speech.next_synthesis(LOST)
        await send(someone, "庚站")  # its whole life passes while the other one waits
        other = await in_state(db, "庚站", "WAITING_REVIEW")
        await until(lambda: _says(db, other["revision"], "放弃"))
        await pressed(db, someone, other["revision"], "cancel")
        await in_state(db, "庚站", "CANCELLED")
        assert len(speech.billed) == 3, "the machine asked again by itself"
        missing = (await run_of(db, "己站"))["error_values"]
        assert '"missing": 2' in missing
        assert await until(lambda: _says(db, row["revision"], "重试缺失的 2 段"))
        assert await _says(db, row["revision"], "放弃")
        await pressed(db, someone, row["revision"], "retry")
        done = await whole(db, "己站", speech, again=1)
        assert await calls(db, done["id"]) == ["STORED", "FAILED", "STORED", "STORED"]
        assert len(speech.billed) == 5
        assert await calls(db, other["id"]) == ["UNKNOWN"]


@pytest.mark.parametrize(("point", "name"), [("segment_stored", "辛站"), ("audio_stored", "壬站")])
async def test_object_stored_and_commit_failed(folder: Path, speech: SimulatedSpeech, point: str, name: str) -> None:
    """Row 6 (AUD-4, RUN-8): the bytes lie there and no row names them; they are found again, nothing is spoken twice."""
    async with product(folder, **paid(speech, CRASH_AT=point)) as first, visitor(first) as someone:
        await send(someone, name)
        assert await first.killed() == -signal.SIGKILL
    before = await asyncio.to_thread(_objects, folder)
    async with product(folder, **paid(speech)), database(folder) as db:
        await whole(db, name, speech)
    after = await asyncio.to_thread(_objects, folder)
    assert before <= after, "what lay there was not found again, but written anew"


async def test_audio_good_and_publish_failed(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 7 (PUB-2, RUN-2): killed before publishing, then the database dies in the middle of it; only that is repeated."""
    async with product(folder, **paid(speech, CRASH_AT="publish_before")) as first, visitor(first) as someone:
        await send(someone, "癸站")
        assert await first.killed() == -signal.SIGKILL
    async with database(folder) as db:
        row = await run_of(db, "癸站")
        assert (row["revision_state"], row["episode"]) == ("AUDIO_READY", "OPEN")
        spoken = len(speech.billed)
        async with product(folder, **paid(speech)), holding(folder, row["episode_id"]):
            await until(lambda: _waiting(db, 1))
            await asyncio.to_thread(_kill_server, folder)
            async with database(folder) as after:
                done = await whole(after, "癸站", speech)
                assert len(speech.billed) == spoken
                assert done["duration_ms"] == row["duration_ms"]


async def test_two_episodes_published_at_once_into_one_plan(folder: Path, speech: SimulatedSpeech) -> None:
    """Row 8 (PUB-1, PUB-2): the day's sum holds, one waits for tomorrow, and no publication changes or happens twice."""
    settings = paid(speech, LEASE_S="60", HEARTBEAT_S="10", WORKER_CONCURRENCY="1", DAY_BUDGET_S=str(BUDGET_S))
    names = ["子站", "丑站"]
    armed = {**settings, "CRASH_AT": "publish_before"}
    async with (
        product(folder, **{**settings, "WORKER_CONCURRENCY": "0"}) as chat,
        visitor(chat) as someone,
        database(folder) as db,
    ):
        async with worker(folder, **armed) as one, worker(folder, **armed) as two:
            for name in names:
                await send(someone, name)
            assert [await one.wait(), await two.wait()] == [-signal.SIGKILL] * 2
        ready = [await run_of(db, name) for name in names]
        assert [row["revision_state"] for row in ready] == ["AUDIO_READY"] * 2
        assert all(row["duration_ms"] < BUDGET_S * 1000 < 2 * row["duration_ms"] for row in ready)
        async with holding(folder, *(row["episode_id"] for row in ready)):
            await db.execute("UPDATE generation_run SET expires_at = now() WHERE state = 'RUNNING'")
            async with worker(folder, **settings), worker(folder, **settings):
                await until(lambda: _waiting(db, 2))
                await _let_go(db)
                ended = {(await in_state(db, name, "SUCCEEDED", "DEFERRED"))["state"]: name for name in names}
                assert set(ended) == {"SUCCEEDED", "DEFERRED"}
        done, late = [await run_of(db, ended[state]) for state in ("SUCCEEDED", "DEFERRED")]
        plan = await db.fetch(
            "SELECT i.episode_id, i.duration_ms, p.local_date, p.budget_ms FROM plan_item i JOIN daily_plan p ON p.id = i.plan_id"
        )
        assert [(i["episode_id"], i["duration_ms"]) for i in plan] == [(done["episode_id"], done["duration_ms"])]
        assert plan[0]["budget_ms"] == BUDGET_S * 1000
        assert (done["published"], done["revision"]) == (done["revision"], done["revision"])
        assert (late["published"], late["episode"], late["revision_state"]) == (None, "OPEN", "AUDIO_READY")
        assert late["error_reason"] == "no_room"
        midnight = await db.fetchval(
            "SELECT ($1::date + 1)::timestamp AT TIME ZONE 'Asia/Shanghai'", plan[0]["local_date"]
        )
        assert late["next_due_at"] == midnight
        voices = "SELECT subject_id FROM outbox_message WHERE kind = 'voice' AND subject_id = ANY($1::bigint[])"
        assert [r["subject_id"] for r in await db.fetch(voices, [r["revision"] for r in ready])] == [done["revision"]]


async def _true(value: Any) -> bool:
    return bool(value)


async def _calls_are(db: asyncpg.Connection, run_id: int, states: list[str]) -> bool:
    return await calls(db, run_id) == states


async def _says(db: asyncpg.Connection, revision: int, words: str) -> bool:
    return words in (await db.fetchrow(RECEIPT, revision))["payload"]


async def _everything(db: asyncpg.Connection, row: Any) -> list[Any]:
    """Every row a late worker might have touched."""
    tables = ("run_event WHERE run_id = $1", "provider_call WHERE run_id = $1", "stage_artifact WHERE run_id = $1")
    found = [row] + [await db.fetch(f"SELECT * FROM {table} ORDER BY 1, 2", row["id"]) for table in tables]
    return [*found, await db.fetchrow("SELECT * FROM episode_revision WHERE id = $1", row["revision"])]


def _objects(folder: Path) -> set[Path]:
    return {path for path in (folder / "blobs").rglob("*") if path.is_file()}


def _kill_server(folder: Path) -> None:
    server = EmbeddedPostgres(folder / "postgres")
    server.start()
    pid = server.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    server.close()
