"""Transactions about stage: one file each."""
