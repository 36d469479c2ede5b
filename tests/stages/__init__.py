"""Tests: stages."""
