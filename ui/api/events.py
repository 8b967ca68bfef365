"""`GET /api/events`: server-sent events for open pages.

hello     {"version", "number"}: the version of the served scripts, and the number of the last change
changed   {"number", "videos", "by"}: changes to these videos (an empty list: to any), and their authors
jobs      {"jobs"}: as in GET /api/jobs
loading   {"loading"}: as in GET /api/loading
person    the role or the name of the person has changed
over      the session has ended
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api")
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.get("/events", response_class=StreamingResponse)
async def events(request: Request, parts: PartsOf, who: Who, after: int | None = None) -> StreamingResponse:
    """Lines `event: NAME`, `data: JSON`, while the page is open. `after` is the last change it received."""
    lines = parts.events.stream(who, lambda: parts.door.person(request), after)
    return StreamingResponse(lines, media_type="text/event-stream", headers=HEADERS)
