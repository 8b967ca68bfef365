"""An app on a port of this machine, for what only a real connection shows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI


@contextmanager
def serving(app: FastAPI) -> Iterator[int]:
    """The port."""
    config = uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=10)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the app did not start"
            time.sleep(0.002)
        # A socket that is made here and given to uvicorn would delay each answer by 40 ms (no TCP_NODELAY).
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
