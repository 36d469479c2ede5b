"""What counts: each scorer reads finished results only."""
