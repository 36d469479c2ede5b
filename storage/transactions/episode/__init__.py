"""Transactions about episode: one file each."""
