"""Transactions about chat: one file each."""
