"""Tests: texts."""
