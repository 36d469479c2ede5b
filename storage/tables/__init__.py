"""storage.tables."""
