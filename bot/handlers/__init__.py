"""A stored update → one act inside one transaction."""
