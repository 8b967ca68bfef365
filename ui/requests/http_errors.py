"""Error responses: the status of each error, and one line of JSON that says what to do next."""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DatabaseError, DataError
from sqlalchemy.exc import TimeoutError as NoConnection
from typing_extensions import TypedDict

from annotation.records.errors import (
    DiskFull,
    FormatError,
    NeedsConsent,
    NotAllowed,
    NotFound,
    StaleEdit,
    TooLarge,
)
from annotation.store.database import is_database_fault
from backends.errors import BackendError, DailiesError, MediaError, Stopped
from backends.sqlite_file import words as sqlite_words
from ui.requests.dependencies import anyone


class ErrorAnswer(TypedDict):
    """The body of every error response."""

    error: str


UNREADABLE: dict[int | str, dict[str, Any]] = {422: {"model": ErrorAnswer}}
"""The response that /openapi.json lists for requests that a route cannot read."""
log = logging.getLogger(__name__)
STATUS: tuple[tuple[type[DailiesError], int], ...] = (
    (NotAllowed, 403),
    (NotFound, 404),
    (StaleEdit, 409),
    (NeedsConsent, 409),
    (TooLarge, 413),
    (MediaError, 422),
    (FormatError, 422),
    (BackendError, 502),
    (Stopped, 503),
    (DiskFull, 507),
    (DailiesError, 400),
)


def install_errors(app: FastAPI) -> None:
    """Turn errors into one line of JSON. Unexpected exceptions are bugs: their traceback is logged."""

    @app.exception_handler(DailiesError)
    async def _ours(request: Request, error: Exception) -> JSONResponse:
        status = next(code for kind, code in STATUS if isinstance(error, kind))
        if isinstance(error, NotAllowed) and anyone(request) is None:
            status = 401
        body: dict[str, object] = {"error": str(error)}
        if isinstance(error, StaleEdit):
            body |= {"current": error.current, "revision": error.revision, "subject": error.subject}
        if isinstance(error, NeedsConsent):
            body |= {"points": error.points} if error.points else {"lost": error.lost}
        return JSONResponse(body, status)

    @app.exception_handler(RequestValidationError)
    async def _unreadable(_request: Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()
        if found[0]["type"] == "json_invalid":
            return JSONResponse(
                {"error": f"the body is not JSON: error at character {found[0]['loc'][-1]}"}, 422
            )
        places = [{**one, "loc": one["loc"][1:] or one["loc"]} for one in found]  # "body" or "query" alone
        return JSONResponse({"error": unfit_values(places)}, 422)

    for kind in (DatabaseError, NoConnection, OSError, Exception):
        app.add_exception_handler(kind, _machine)


def unfit_values(errors: Iterable[Mapping[str, Any]]) -> str:
    """Pydantic's errors in one line: the location and reason of each, without the values that were sent."""
    return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}".removeprefix(": ") for e in errors)


async def _machine(_request: Request, error: Exception) -> JSONResponse:
    status, line = machine_error(error)
    return JSONResponse({"error": line}, status)


def machine_error(error: Exception) -> tuple[int, str]:
    """Status and message for an unexpected exception; the traceback of a bug is logged."""
    if full := DiskFull.of(error):
        return 507, str(full)
    if isinstance(error, DataError):  # a number or string too long for PostgreSQL's column
        return 400, "the database cannot hold this value"
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return 400, "a file name is too long; choose a shorter one"
    log.error("a request failed", exc_info=error)
    if isinstance(error, DatabaseError) and is_database_fault(error):
        if isinstance(error.orig, sqlite3.Error):
            return 503, sqlite_words(error.orig)
        # The database's own message may contain user names.
        return 503, "the database server does not respond; try again in a minute"
    if isinstance(error, NoConnection):
        return 503, "all connections to the database are in use; try again in a minute"
    return 500, "internal error; the server's log has the details"
