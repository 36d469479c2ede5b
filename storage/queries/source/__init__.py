"""Questions about source rows."""
