"""Pause Python's cyclic garbage collector during work that creates a million small objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Disable the garbage collector within the block: it would scan every record of an import repeatedly.

    Records do not contain cycles. Other cycles are collected afterwards.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
