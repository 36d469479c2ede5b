"""Sets of cases of our own, and kept samples."""
