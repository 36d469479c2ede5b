"""tests.domain."""
