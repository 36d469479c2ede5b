"""Imports every table, so that ``metadata`` is complete wherever this is imported."""

from __future__ import annotations

from storage.tables import blob, chat, day, run, source
from storage.tables.names import metadata

__all__ = ["blob", "chat", "day", "metadata", "run", "source"]
