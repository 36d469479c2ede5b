"""Questions about chat rows."""
