"""The embedded server survives what happens to it: kill -9 of itself or of its parent, two users of one folder."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from storage.embedded import EmbeddedPostgres
from tests.support.folders import walkable

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    walkable(tmp_path)
    return tmp_path / "postgres"


async def ask(url: str, sql: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


def test_two_users_share_one_server_and_the_last_one_stops_it(root):
    first, second = EmbeddedPostgres(root), EmbeddedPostgres(root)
    assert first.start() == second.start()
    pid = first.pid()
    first.close()
    assert second.pid() == pid
    assert asyncio.run(ask(second.url(), "SELECT 1")) == 1
    second.close()
    assert second.pid() is None


def test_a_killed_server_comes_back_on_its_port_with_its_rows(root):
    server = EmbeddedPostgres(root)
    url = server.start()
    asyncio.run(ask(url, "CREATE TABLE t AS SELECT generate_series(1, 1000) AS x"))
    assert server.ensure() is False
    os.kill(server.pid(), signal.SIGKILL)
    while server.ensure() is False:  # until the kill has been carried out
        pass
    assert server.url() == url
    assert asyncio.run(ask(url, "SELECT count(*) FROM t")) == 1000
    server.close()


def test_a_server_whose_parent_was_killed_is_found_again(root):
    code = (
        "import sys, time; from pathlib import Path; from storage.embedded import EmbeddedPostgres;"
        "s = EmbeddedPostgres(Path(sys.argv[1])); print(s.start(), flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    url = parent.stdout.readline().strip()
    parent.kill()
    parent.wait()
    parent.stdout.close()
    server = EmbeddedPostgres(root)
    assert server.start() == url
    assert asyncio.run(ask(url, "SELECT 1")) == 1
    server.close()
    assert server.pid() is None


def test_nobody_without_the_password_gets_in(root):
    server = EmbeddedPostgres(root)
    url = server.start()
    with pytest.raises(asyncpg.InvalidPasswordError):
        asyncio.run(ask(url.replace(url.split(":")[2].split("@")[0], "guess"), "SELECT 1"))
    assert (root / "password").stat().st_mode & 0o077 == 0
    server.close()


def test_the_server_has_the_vector_extension(root):
    server = EmbeddedPostgres(root)
    url = server.start()
    asyncio.run(ask(url, "CREATE EXTENSION vector"))
    assert asyncio.run(ask(url, "SELECT '[1,0]'::halfvec <=> '[0,1]'::halfvec")) == 1.0
    server.close()
