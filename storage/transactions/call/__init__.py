"""Transactions about call: one file each."""
