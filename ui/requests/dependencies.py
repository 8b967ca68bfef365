"""What the routes share: the app's parts, who is asking, what they may see."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request, Response
from pydantic import Field

from annotation.people.carebench_text_access import AspectSight, aspect_sight_of
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
"""Of the value that was seen: no database holds larger ones, and no page writes them."""


async def storable_words(request: Request) -> None:
    """Every route's: words that cannot be stored are refused before they are read. Raises UsageError.

    Names of uploaded files are mended where they are taken.
    """
    check_storable(dict(request.path_params), "the address")
    check_storable(request.query_params.multi_items(), "the address")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        check_storable({name: str(value) for name, value in (await request.form()).items()}, "")
    elif "json" in kind and (body := await request.body()):
        with suppress(ValueError, RecursionError):  # no JSON: whoever wants it says so
            check_storable(json.loads(body), "")


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
    models: ModelConnections
    events: EventWatch
    waits: Waits

    @contextmanager
    def asking(self, *, again: bool = False, options: Sequence[object] = ()) -> Iterator[Context]:
        """For the few model calls of one request of a page."""
        try:
            yield new_context(
                self.workspace,
                self.engines(),
                self.media,
                lambda *_: None,
                again=again,
                options=options,
                tell=self.waits.tell,
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
        gzip.compress(body, 3),
        media_type="application/json",
        headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"},
    )
