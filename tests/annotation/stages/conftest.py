"""Fixtures of these tests."""

from tests.bench import workspace

__all__ = ["workspace"]
