"""The migrations and the tables say the same."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from storage.migrate import migrate
from storage.tables.everything import metadata


def _differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))


async def test_a_database_at_head_equals_the_tables(engine):
    async with engine.connect() as connection:
        assert await connection.run_sync(_differences) == []


async def test_migrating_twice_changes_nothing(engine):
    await migrate(engine)
    async with engine.connect() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM alembic_version"))).scalar_one() == 1
