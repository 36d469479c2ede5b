"""eval.bench."""
