"""tests.architecture."""
