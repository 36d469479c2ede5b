"""eval.cases."""
