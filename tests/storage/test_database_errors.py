"""What waiting can mend is told from what it cannot (architecture: errors)."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import Contention, Defect
from storage.engine import engine_of
from storage.errors import StorageAway
from storage.tx import snapshot, storable, transaction

REFUSED = [
    ("a number beyond bigint", "SELECT cast(:value AS bigint)", 10**30),
    ("NUL in a text", "SELECT cast(:value AS text)", "a\0b"),
    ("NUL in JSON", "SELECT cast(:value AS jsonb)", '"\\u0000"'),
    ("a lone surrogate", "SELECT cast(:value AS text)", "\ud800"),
    ("a broken rule of a table", "INSERT INTO chat (owner_id, channel, external_id) VALUES (:value, 'x', 'y')", 1),
    ("a statement that is wrong", "SELECT nothing_of_this_name, :value", 1),
]


@pytest.mark.parametrize(("sql", "value"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
async def test_what_the_database_will_always_refuse_is_a_defect(engine, sql, value):
    """CHT-1: an OSError is waited for, so it may only mean that waiting helps."""
    for opened in (transaction, snapshot) if sql.startswith("SELECT") else (transaction,):
        with pytest.raises(Defect):
            async with opened(engine) as tx:
                await tx.row(sql, value=value)


async def test_a_pool_without_a_free_connection_is_contention(database_url):
    engine = engine_of(database_url, pool_size=1, max_overflow=0, patience_s=0.1)
    try:
        async with transaction(engine):
            with pytest.raises(Contention):
                async with transaction(engine):
                    raise AssertionError("there was a second connection")
    finally:
        await engine.dispose()


async def test_a_server_that_is_away_is_not_a_defect(database_url):
    nowhere = engine_of(database_url.rpartition("@")[0] + "@127.0.0.1:1/earmark")
    with pytest.raises((StorageAway, ConnectionError)):
        async with transaction(nowhere):
            raise AssertionError("something answered")
    await nowhere.dispose()


async def test_an_error_text_can_always_be_kept(engine):
    async with transaction(engine) as tx:
        row = await tx.one("SELECT cast(:value AS text) AS kept", value=storable("坏\0\ud800" + "x" * 600, 500))
    assert row["kept"].startswith("坏?")
    assert len(row["kept"]) == 499
