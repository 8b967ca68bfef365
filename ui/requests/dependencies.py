"""Dependencies that routes share: the app's parts, the current person, and what they may see."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request, Response
from pydantic import Field

from annotation.people.hidden_texts import AspectSight, aspect_sight_of
from annotation.people.permissions import require
from annotation.people.who_labels_blind import Sight, sight_of
from annotation.pipeline.background_jobs import Jobs
from annotation.pipeline.cut_jobs import CutWork
from annotation.pipeline.model_connections import ModelConnections
from annotation.pipeline.stage_runner import new_context
from annotation.records.decisions import Person
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Context, Engines
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.protocols import Loading
from backends.text.storable_text import check_storable
from ui.auth.current_person import Door
from ui.auth.site_address_and_cookies import Site
from ui.requests.event_watch import EventWatch

Revision = Annotated[int, Field(ge=0, le=1 << 53)]
"""Revision of the value that the page showed; the maximum fits into every database."""


async def storable_words(request: Request) -> None:
    """Dependency of every route: refuse text that cannot be stored. Raises UsageError.

    Names of uploaded files are cleaned where they are received.
    """
    check_storable(dict(request.path_params), "the address")
    check_storable(request.query_params.multi_items(), "the address")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        check_storable({name: str(value) for name, value in (await request.form()).items()}, "")
    elif "json" in kind and (body := await request.body()):
        with suppress(ValueError, RecursionError):  # not JSON: the route that parses it reports that
            check_storable(json.loads(body), "")


class Waits:
    """The model that is being started and that requests of pages wait for. A job reports its own."""

    def __init__(self) -> None:
        self.loading: Loading | None = None

    def show_loading(self, loading: Loading) -> None:
        self.loading = None if loading.ready else loading


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one app."""

    workspace: Workspace
    media: MediaLibrary
    jobs: Jobs
    door: Door
    engines: Callable[[], Engines]
    cuts: CutWork
    site: Site
    models: ModelConnections
    events: EventWatch
    waits: Waits

    @contextmanager
    def model_context(self, *, again: bool = False, options: Sequence[object] = ()) -> Iterator[Context]:
        """A context for the few model calls that one request of a page makes."""
        try:
            yield new_context(
                self.workspace,
                self.engines(),
                self.media,
                lambda *_: None,
                again=again,
                options=options,
                tell=self.waits.show_loading,
            )
        finally:
            self.waits.loading = None

    @property
    def store(self) -> Store:
        return self.workspace.store


def parts(request: Request) -> Parts:
    return cast(Parts, request.app.state.parts)


def anyone(request: Request) -> Person | None:
    """The person behind the request, or None."""
    return parts(request).door.person(request)


def reader(request: Request) -> Person:
    """A person who may read. Raises NotAllowed."""
    return require(anyone(request), "read")


PartsOf = Annotated[Parts, Depends(parts)]
Who = Annotated[Person, Depends(reader)]


def sight(request: Request) -> Sight:
    """Which verdicts the person behind the request may see. Raises NotAllowed."""
    return sight_of(parts(request).store, reader(request))


SightOf = Annotated[Sight, Depends(sight)]


def aspect_sight(request: Request) -> AspectSight:
    """Which CaReBench texts the person behind the request may see, over all videos. Raises NotAllowed."""
    return aspect_sight_of(parts(request).store, reader(request))


TextSightOf = Annotated[AspectSight, Depends(aspect_sight)]


def require_not_blind(seen: SightOf) -> None:
    """For routes that show many verdicts at once. Raises NotAllowed if the person labels blind."""
    seen.require_open()


LONG = 50_000
"""Bytes from which a response is compressed."""


def packed(request: Request, content: object) -> Response:
    """A JSON response, compressed if it is long and the client accepts gzip."""
    return packed_json(request, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def packed_json(request: Request, body: bytes) -> Response:
    """As `packed`, of JSON."""
    if len(body) < LONG or "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(body, media_type="application/json")
    return Response(
        gzip.compress(body, 3),
        media_type="application/json",
        headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"},
    )
