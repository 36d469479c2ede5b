"""The loop that carries runs, what goes on beside them, and the two child processes."""
