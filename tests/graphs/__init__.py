"""tests.graphs."""
