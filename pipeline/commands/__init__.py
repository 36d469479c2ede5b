"""What a person can ask, inside the caller's one transaction."""
