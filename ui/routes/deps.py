"""What the routes share: the app's parts, who is asking, errors as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse

from annotation.cut_work import CutWork
from annotation.errors import (
    BackendError,
    DailiesError,
    FormatError,
    MediaError,
    NotAllowed,
    NotFound,
    StaleEdit,
)
from annotation.jobs import Jobs
from annotation.permissions import require
from annotation.pipeline.context import Engines
from annotation.pipeline.media import MediaLibrary
from annotation.records import Person
from annotation.store.store import Store
from annotation.workspace import Workspace
from ui.auth import Door


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that one app is made of."""

    workspace: Workspace
    media: MediaLibrary
    jobs: Jobs
    door: Door
    engines: Callable[[], Engines]
    cuts: CutWork

    @property
    def store(self) -> Store:
        return self.workspace.store


def parts(request: Request) -> Parts:
    return cast(Parts, request.app.state.parts)


def anyone(request: Request) -> Person | None:
    """The person behind the request, also nobody."""
    return parts(request).door.person(request)


def reader(request: Request) -> Person:
    """A person who may look. Raises NotAllowed."""
    return require(anyone(request), "read")


PartsOf = Annotated[Parts, Depends(parts)]
Who = Annotated[Person, Depends(reader)]

STATUS: tuple[tuple[type[DailiesError], int], ...] = (
    (NotAllowed, 403), (NotFound, 404), (StaleEdit, 409), (MediaError, 422), (FormatError, 422),
    (BackendError, 502), (DailiesError, 400),
)  # fmt: skip


def install_errors(app: FastAPI) -> None:
    """Errors of ours become one line of JSON; anything else is a bug and keeps its traceback."""

    @app.exception_handler(DailiesError)
    async def _ours(request: Request, error: Exception) -> JSONResponse:
        status = next(code for kind, code in STATUS if isinstance(error, kind))
        if isinstance(error, NotAllowed) and anyone(request) is None:
            status = 401
        body: dict[str, object] = {"error": str(error)}
        if isinstance(error, StaleEdit):
            body |= {"current": error.current, "revision": error.revision}
        return JSONResponse(body, status)
