"""Transactions about owner: one file each."""
