"""Pure rules: now, ids and randomness are arguments; state machines are tables."""
