"""For whom a page works: it says so with every request, and nothing is stored under another name.

The cookie of a browser changes under an open page: a session ends and another person logs in, or somebody
else is chosen in another window. The server at an address may serve another workspace than before, too.
"""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request
from fastapi.responses import JSONResponse

from annotation.records.decisions import Person
from ui.requests.dependencies import anyone, parts

HEADER = "X-Dailies-For"
"""`WORKSPACE PERSON`, both as `/api/me` gave them to the page."""


def stated(workspace_id: str, person_id: str) -> str:
    """The header's value of a page of that person."""
    return f"{quote(workspace_id, safe='')} {quote(person_id, safe='')}"


def refused(request: Request) -> JSONResponse | None:
    """The answer to a page that works for somebody else than the session does; None: it may go on.

    Without the header (a script, `gradio_client`) the session alone counts. Nobody logged in is for the next
    check to say.
    """
    said = request.headers.get(HEADER)
    if said is None or (person := anyone(request)) is None:
        return None
    workspace_id = parts(request).workspace.id
    if said == stated(workspace_id, person.id):
        return None
    if said.split(" ")[0] != quote(workspace_id, safe=""):
        why = "another workspace is served here now; reload the page"
        return JSONResponse({"error": why, "other": {"id": "", "name": ""}}, 403)
    return JSONResponse({"error": _who(person), "other": {"id": person.id, "name": person.name}}, 403)


def _who(person: Person) -> str:
    return f"this browser works as {person.name} now; nothing was changed under that name"
