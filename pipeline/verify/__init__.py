"""Claims against their evidence, by program."""
