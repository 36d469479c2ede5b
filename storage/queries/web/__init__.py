"""Questions about web sessions."""
