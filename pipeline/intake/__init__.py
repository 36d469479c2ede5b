"""Foreign bytes → canonical text with blocks. Runs in a limited child."""
