"""What the pipeline needs from outside, as Protocols of one to three methods."""
