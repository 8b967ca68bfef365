"""Keep models between uses, release idle ones, and return freed memory to the system."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

IDLE_S = 600.0
"""Seconds after the last use until a model is released."""
LARGE = 32 << 20
"""Blocks of at least this many bytes are allocated with mmap, so that freeing them returns the memory."""
LEFT = 8 << 20
"""Bytes of free memory that glibc keeps at the top of each heap."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameter numbers of glibc's `mallopt`."""
T = TypeVar("T")


class KeptModel(Generic[T]):
    """A model shared by the whole process. Thread-safe. Running calls keep their model after a release."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._model: T | None = None
        self._used = 0.0

    def get(self) -> T:
        """Return the model; load it first if needed. Raises what loading raises."""
        with self._lock:
            self._used = time.monotonic()
            if self._model is None:
                self._model = self._load()
                self._look_again(IDLE_S)
            return self._model

    @property
    def is_here(self) -> bool:
        return self._model is not None

    def _look_again(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._release)
        timer.daemon = True
        timer.start()

    def _release(self) -> None:
        with self._lock:
            left = self._used + IDLE_S - time.monotonic()
            if left > 0:
                self._look_again(left)
                return
            self._model = None
        gc.collect()  # models contain reference cycles
        give_back_memory()


def give_back_memory() -> None:
    """Return freed memory to the system; takes milliseconds. Has an effect only with glibc."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # a C library without malloc_trim
            ctypes.CDLL(None).malloc_trim(0)


def keep_less_memory() -> None:
    """Set fixed glibc limits for a long-running process.

    By default, glibc raises its limits with each large block and keeps freed memory: 500 of the 800 MB in use
    after a run with speech and text on screen.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            library.mallopt(_M_MMAP_THRESHOLD, LARGE)
            library.mallopt(_M_TRIM_THRESHOLD, LEFT)
