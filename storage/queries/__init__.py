"""storage.queries."""
