"""tests.bot."""
