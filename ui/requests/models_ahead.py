"""Load the models of pages before a request needs them, while the server has nothing else to do."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from backends.idle_models import KeptModel

log = logging.getLogger(__name__)
QUIET_S = 1.0
"""Loading starts after so many seconds without a request: it would slow down those of an opening page."""
LOOK_S = 0.2


class ModelsAhead:
    """Loads models in a thread of its own. `last_request` returns the time of the last one (`monotonic`)."""

    def __init__(self, models: Sequence[KeptModel[Any]], last_request: Callable[[], float]) -> None:
        self.models, self._last_request = models, last_request
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def wanted(self) -> None:
        """Load the models soon, or keep them from being released. Returns at once."""
        with self._lock:
            if not self._closed.is_set() and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._load, name="models ahead", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Wait for a model that is being loaded; load no others."""
        with self._lock:
            self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _load(self) -> None:
        for model in self.models:
            while not model.is_here and time.monotonic() - self._last_request() < QUIET_S:
                if self._closed.wait(LOOK_S):
                    return
            if self._closed.is_set():
                return
            try:
                model.get()
            except (ImportError, OSError, ValueError) as error:  # the page that needs it reports that
                log.info("a model could not be loaded ahead: %s", error)
