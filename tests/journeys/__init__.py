"""tests.journeys."""
