"""tests.storage."""
