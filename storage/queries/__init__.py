"""Questions, each answered from one consistent read."""
