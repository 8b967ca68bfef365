"""`GET /api/events`: what an open page is told by itself, as server-sent events.

hello     {"version", "number"}: of the scripts that are served, and of the last change
changed   {"number", "videos", "by"}: others' work on these videos (none named: on any), and who did it
jobs      {"jobs"}: as GET /api/jobs gives them
loading   {"loading"}: as GET /api/loading gives it
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
    """Lines `event: NAME`, `data: JSON`, as long as the page is open. `after` is the last change heard of."""
    lines = parts.events.stream(who, lambda: parts.door.person(request), after)
    return StreamingResponse(lines, media_type="text/event-stream", headers=HEADERS)
