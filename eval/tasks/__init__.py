"""Runs over a set of cases."""
