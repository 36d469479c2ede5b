"""eval.simulators."""
