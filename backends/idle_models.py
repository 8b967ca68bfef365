"""Models that are kept between uses and released after a while without one, and memory that is given back."""

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
"""How long a model is kept without use."""
LARGE = 32 << 20
"""Bytes from which a block of memory is taken from the system by itself, and goes back when it is free."""
LEFT = 8 << 20
"""Bytes of free memory that glibc keeps at the end of each of its heaps."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""For `mallopt` of glibc."""
T = TypeVar("T")


class KeptModel(Generic[T]):
    """One model of the process. Thread-safe. A call that has the model keeps it until it is over."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._model: T | None = None
        self._used = 0.0

    def get(self) -> T:
        """The model, loaded if it is not here. Raises what loading raises."""
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
        gc.collect()  # models refer to themselves
        give_back_memory()


def give_back_memory() -> None:
    """Give the pages of freed memory back to the system, where the C library is glibc. Takes milliseconds."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


def keep_less_memory() -> None:
    """For a process that stays: else glibc raises its limits with each large block, and keeps what is freed.

    Of 800 MB after a run with speech and text on screen, 500 MB are such memory.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            library.mallopt(_M_MMAP_THRESHOLD, LARGE)
            library.mallopt(_M_TRIM_THRESHOLD, LEFT)
