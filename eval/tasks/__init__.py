"""eval.tasks."""
