"""The process is killed (-9) at a named point; after a restart the same message reaches its end, once.

Rules RUN-4, RUN-8, TTS-1, CHT-2, CHT-7: one episode, one voice note, no committed segment spoken again.
"""

from __future__ import annotations

import signal
from pathlib import Path

import asyncpg
import pytest

from pipeline.graphs.crashpoints import POINTS
from tests.support.folders import walkable
from tests.support.product import database, product, until, visitor

pytestmark = pytest.mark.slow

THINGS = ["水泵", "风机", "阀门", "滤网", "电缆", "轴承", "皮带", "仪表", "油封", "冷却塔"]


def article(case: int) -> bytes:
    """Ten paragraphs of which no two cases share a sentence: what one run has spoken helps no other."""
    lines = [
        f"第{n}项检查发现，{thing}在运行满{n * 100 + case}小时之后需要更换，否则温度会升到{40 + n}度，并且每天多耗电{n}度。"
        for n, thing in enumerate(THINGS, start=1)
    ]
    return ("# 机房维护记录\n\n" + "\n\n".join(lines)).encode()


# Not here: the worker hears of a due run as soon as the dispatcher (test_faults), links and pictures take their own way
# (test_links), and the points of stored bytes are in tests/storage/test_kept_blobs.
ELSEWHERE = frozenset(
    "dispatched update_handled fetch_before fetch_stored fetch_committed page_recognised refreshed"
    " blob_kept blob_dying blob_removed".split()
)
CASES = [*(p for p in POINTS if p not in ELSEWHERE), "segment_committed:2", "message_before_send:3"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kill")
    walkable(path)
    return path / "data"


@pytest.mark.parametrize("point", CASES)
async def test_a_run_killed_at(point: str, folder: Path) -> None:
    name = f"{point.replace(':', '-')}.md"
    async with product(folder, CRASH_AT=point) as first, visitor(first) as someone:
        assert (await someone.send("讲要点", (name, article(CASES.index(point))))).status_code < 400
        assert await first.killed() == -signal.SIGKILL
    async with product(folder) as second, database(folder) as connection:
        await until(lambda: _finished(connection, name))
        await until(lambda: _settled(connection, name))
        await _once(connection, name)
        assert second.process.returncode is None


async def _finished(connection: asyncpg.Connection, name: str) -> bool:
    """The receipt says done and the voice note stands."""
    return await connection.fetchval(
        """SELECT count(*) FILTER (WHERE m.kind = 'receipt' AND m.payload->'card'->>'state' = 'done') = 1
              AND count(*) FILTER (WHERE m.kind = 'voice') = 1
             FROM chat_message m JOIN episode_revision v ON v.id = m.subject_id
             JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id WHERE s.name = $1""",
        name,
    )


async def _once(connection: asyncpg.Connection, name: str) -> None:
    run = await connection.fetchrow(
        """SELECT r.id, r.state, r.attempts, e.state AS episode, e.published_revision_id, v.id AS revision,
                  (SELECT count(*) FROM source WHERE name = $1) AS sources
             FROM generation_run r JOIN episode_revision v ON v.id = r.revision_id
             JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id WHERE s.name = $1""",
        name,
    )
    assert (run["state"], run["episode"], run["sources"]) == ("SUCCEEDED", "PUBLISHED", 1)
    assert run["published_revision_id"] == run["revision"]
    messages = await connection.fetch(
        "SELECT kind, count(*) AS n FROM chat_message WHERE subject_id = $1 AND author = 'bot' GROUP BY kind",
        run["revision"],
    )
    assert {m["kind"]: m["n"] for m in messages} == {"receipt": 1, "voice": 1}
    calls = await connection.fetch(
        "SELECT fingerprint, state, count(*) AS n FROM provider_call WHERE run_id = $1 GROUP BY 1, 2", run["id"]
    )
    stored = [c for c in calls if c["state"] == "STORED"]
    assert stored
    assert all(c["n"] == 1 for c in stored), "a committed segment was spoken again"
    assert not [c for c in calls if c["state"] == "INTENT"], "an INTENT was left unaccounted for"


async def _settled(connection: asyncpg.Connection, name: str) -> bool:
    """Nothing of this run is still on its way out."""
    return not await connection.fetchval(
        """SELECT count(*) FROM outbox_message o JOIN episode_revision v ON v.id = o.subject_id
             JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id
            WHERE s.name = $1 AND o.state NOT IN ('sent', 'failed')""",
        name,
    )
