"""A request that outlasts the shutdown is answered, and leaves no traceback in the log."""

from __future__ import annotations

import logging
import threading
from http.client import HTTPConnection

import pytest
import uvicorn
from fastapi import FastAPI

from ui.requests.end_with_server import EndWithServer


def test_a_slow_request_gets_503_when_the_server_stops(caplog: pytest.LogCaptureFixture) -> None:
    app, begun, over = FastAPI(), threading.Event(), threading.Event()

    @app.get("/slow")
    def slow() -> str:
        begun.set()
        over.wait(60)
        return "late"

    server = uvicorn.Server(uvicorn.Config(EndWithServer(app), port=0, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    with caplog.at_level(logging.ERROR):
        thread.start()
        while not server.started:
            assert thread.is_alive()
        connection = HTTPConnection("127.0.0.1", server.servers[0].sockets[0].getsockname()[1], timeout=30)
        connection.request("GET", "/slow")
        assert begun.wait(30)
        server.should_exit = True
        answer = connection.getresponse()
        said = answer.status, answer.read()
        over.set()
        thread.join(30)
    assert said == (503, b'{"error":"the server is stopping"}')
    assert not any(record.exc_info for record in caplog.records)
