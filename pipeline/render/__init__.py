"""pipeline.render."""
