"""eval.scorers."""
