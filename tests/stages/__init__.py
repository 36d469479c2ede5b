"""tests.stages."""
