"""Print the types of requests and responses without a server: `python -m ui.wire_schema`.

`make wire` generates ui/lib/wire.d.ts from them, which gives the pages' scripts the types of replies.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from fastapi import FastAPI

from ui.pages.html_documents import TABLE
from ui.pages.page_table import page_table
from ui.requests.http_errors import UNREADABLE
from ui.routers import ROUTERS


def wire_schema() -> dict[str, Any]:
    """The shapes of /openapi.json and of the list of pages, without paths and titles."""
    app = FastAPI(title="Dailies", responses=UNREADABLE)
    for router in ROUTERS:
        app.include_router(router)
    app.get(f"/{TABLE}")(page_table)
    schema = app.openapi()
    shapes = {name: _untitled(shape) for name, shape in schema["components"]["schemas"].items()}
    return {key: schema[key] for key in ("openapi", "info")} | {
        "paths": {},
        "components": {"schemas": shapes},
    }


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without the titles of itself and its fields; a field may be called `title`."""
    fields = {name: _untitled(field) for name, field in schema.get("properties", {}).items()}
    rest = {key: value for key, value in schema.items() if key != "title"}
    return rest | ({"properties": fields} if fields else {})


if __name__ == "__main__":
    json.dump(wire_schema(), sys.stdout)
