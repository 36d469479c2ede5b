"""pipeline.evidence."""
