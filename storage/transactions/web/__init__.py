"""Transactions about web: one file each."""
