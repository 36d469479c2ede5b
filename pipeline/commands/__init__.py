"""pipeline.commands."""
