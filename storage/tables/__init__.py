"""Rows as SQLModel classes with named constraints."""
