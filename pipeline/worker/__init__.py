"""pipeline.worker."""
