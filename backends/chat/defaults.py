"""Usual bounds of a chat request: how many at once, how long, how long a reply."""

from __future__ import annotations

DEFAULT_TIMEOUT_S = 180.0

DEFAULT_CONCURRENCY = 128
"""More than servers of models usually work on at a time, so that they never wait; they queue the rest.
Whoever stops a run waits for those in flight, for a moment."""

LONGEST_REPLY = 1_000_000
"""Characters of a reply's text. A longer one fails, and is not read to its end."""
