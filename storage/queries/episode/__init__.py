"""Questions about episode rows."""
