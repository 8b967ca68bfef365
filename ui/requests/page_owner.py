"""Check for whom a page works.

Pages send this with every request, so that nothing is stored for another person. The cookie of a browser can
change while a page is open: a session ends and another person logs in, or another person is chosen in another
window. The server at an address may also serve another workspace than before.
"""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request
from fastapi.responses import JSONResponse

from annotation.records.decisions import Person
from ui.requests.dependencies import anyone, parts

HEADER = "X-Dailies-For"
"""`WORKSPACE PERSON`, both from the page's `/api/me`."""


def stated(workspace_id: str, person_id: str) -> str:
    """The header's value for a page of that person."""
    return f"{quote(workspace_id, safe='')} {quote(person_id, safe='')}"


def refused(request: Request) -> JSONResponse | None:
    """The refusal of a request from a page of another person than the session's; None if they match.

    Without the header (a script, `gradio_client`) only the session counts. A request without a login is left
    to the next check.
    """
    sent = request.headers.get(HEADER)
    if sent is None or (person := anyone(request)) is None:
        return None
    workspace_id = parts(request).workspace.id
    if sent == stated(workspace_id, person.id):
        return None
    if sent.split(" ")[0] != quote(workspace_id, safe=""):
        why = "another workspace is served here now; reload the page"
        return JSONResponse({"error": why, "other": {"id": "", "name": ""}}, 403)
    return JSONResponse({"error": _who(person), "other": {"id": person.id, "name": person.name}}, 403)


def _who(person: Person) -> str:
    return f"this browser works as {person.name} now; nothing was changed under that name"
