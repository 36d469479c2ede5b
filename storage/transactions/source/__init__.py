"""Transactions about source: one file each."""
