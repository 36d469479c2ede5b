"""Reads about owners."""
