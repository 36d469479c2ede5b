"""Transactions about publish: one file each."""
