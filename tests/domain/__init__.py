"""Tests: domain."""
