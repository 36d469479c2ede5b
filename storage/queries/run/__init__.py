"""Questions about run rows."""
