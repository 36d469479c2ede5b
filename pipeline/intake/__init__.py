"""pipeline.intake."""
