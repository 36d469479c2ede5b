"""pipeline.providers."""
