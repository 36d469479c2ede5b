"""pipeline.domain."""
