"""pipeline.verify."""
