"""Alembic's entry: always on a connection handed in by storage/migrate.py, inside its transaction."""

from alembic import context

from storage.tables.everything import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("run migrations through `earmark migrate` (storage/migrate.py)")
context.configure(connection=connection, target_metadata=metadata, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
