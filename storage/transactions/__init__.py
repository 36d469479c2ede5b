"""storage.transactions."""
