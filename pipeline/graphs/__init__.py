"""The episode's path: each node is load → stage → save, and finds what is saved."""
