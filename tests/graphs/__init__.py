"""Tests: graphs."""
