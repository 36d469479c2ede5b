"""Alembic: one file per change, applied by storage/migrate.py."""
