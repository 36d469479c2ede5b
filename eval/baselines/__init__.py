"""eval.baselines."""
