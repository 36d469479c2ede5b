"""Transactions about stored bytes: one file each."""
