"""Transactions about run: one file each."""
