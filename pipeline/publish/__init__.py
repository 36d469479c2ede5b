"""pipeline.publish."""
