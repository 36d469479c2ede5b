"""pipeline.compose."""
