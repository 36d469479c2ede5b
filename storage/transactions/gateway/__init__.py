"""Transactions about the right to send: one file each."""
