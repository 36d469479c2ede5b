"""What becomes true: one file per transaction, its lock order in its head."""
