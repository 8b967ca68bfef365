"""Fixtures of these tests."""

from tests.bench import bench, clip, workspace

__all__ = ["bench", "clip", "workspace"]
