"""pipeline.ports."""
