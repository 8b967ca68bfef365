"""Default limits of chat requests: parallel requests, time, length of a reply."""

from __future__ import annotations

DEFAULT_TIMEOUT_S = 180.0

DEFAULT_CONCURRENCY = 128
"""More than a model server usually processes in parallel, so that it is never idle; it queues the rest.
Stopping a run waits briefly for the requests in flight."""

LONGEST_REPLY = 1_000_000
"""Maximum characters of a reply's text. A longer reply fails, and the rest is not read."""
