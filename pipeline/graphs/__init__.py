"""pipeline.graphs."""
