"""Transactions about outbox: one file each."""
