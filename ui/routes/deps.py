"""What the routes share: the app's parts, who is asking, errors as JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError

from annotation.aspect_sight import AspectSight, aspect_sight_of
from annotation.blinding import Sight, sight_of
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
from annotation.pipeline.context import Context, Engines
from annotation.pipeline.media import MediaLibrary
from annotation.pipeline.runner import new_context
from annotation.records import Person
from annotation.store.store import Store
from annotation.workspace import Workspace
from backends.protocols import Loading
from ui.auth import Door
from ui.public_site import Site


class Waits:
    """What somebody's own request waits for: a model that is being started. A job shows its own."""

    def __init__(self) -> None:
        self.loading: Loading | None = None

    def tell(self, loading: Loading) -> None:
        self.loading = None if loading.ready else loading


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that one app is made of."""

    workspace: Workspace
    media: MediaLibrary
    jobs: Jobs
    door: Door
    engines: Callable[[], Engines]
    cuts: CutWork
    site: Site
    waits: Waits = field(default_factory=Waits)

    @contextmanager
    def asking(self, *, again: bool = False) -> Iterator[Context]:
        """For the few model calls of one request of a page."""
        try:
            yield new_context(
                self.workspace, self.engines(), self.media, lambda *_: None, again=again, tell=self.waits.tell
            )
        finally:
            self.waits.loading = None

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


def sight(request: Request) -> Sight:
    """What the person behind the request may see of verdicts. Raises NotAllowed."""
    return sight_of(parts(request).store, reader(request))


SightOf = Annotated[Sight, Depends(sight)]


def aspect_sight(request: Request) -> AspectSight:
    """Which CaReBench texts the person behind the request may see, of all videos. Raises NotAllowed."""
    return aspect_sight_of(parts(request).store, reader(request))


TextSightOf = Annotated[AspectSight, Depends(aspect_sight)]


def open_eyes(seen: SightOf) -> None:
    """For routes that show many verdicts at once. Raises NotAllowed for a person who labels blind."""
    seen.require_open()


LONG = 50_000
"""Bytes from which an answer is packed."""


def packed(request: Request, content: object) -> Response:
    """JSON; a long one is compressed for those who take it: names and states repeat row after row."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    if len(body) < LONG or "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(body, media_type="application/json")
    return Response(
        gzip.compress(body, 3), media_type="application/json",
        headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"},
    )  # fmt: skip


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

    @app.exception_handler(UnicodeEncodeError)
    async def _half_a_character(_request: Request, _error: Exception) -> JSONResponse:
        """JSON may name half of a pair of code units; no database holds such a text."""
        return JSONResponse({"error": "a text holds half a character; type it anew"}, 400)

    @app.exception_handler(DataError)
    async def _not_held(_request: Request, _error: Exception) -> JSONResponse:
        """PostgreSQL takes no NUL."""
        return JSONResponse({"error": "the database cannot hold this text; look for odd characters"}, 400)
