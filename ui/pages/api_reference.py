"""The reference of the routes at `/docs`: `/openapi.json` as a page without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from ui.pages.html_documents import document
from ui.requests.dependencies import Who

router = APIRouter()
Schema = Mapping[str, Any]
ABOUT = (
    "The HTTP routes that the pages use. Changes need the header X-Dailies: 1. "
    "For programs there is a smaller interface: docs/api.md."
)


@router.get("/docs", include_in_schema=False)
def reference(request: Request, _who: Who) -> HTMLResponse:
    openapi = request.app.openapi()
    body = "".join([*_routes(openapi["paths"]), *_shapes(openapi["components"]["schemas"])])
    head = f"<h1>Routes</h1><p>{escape(ABOUT)} <a href=/openapi.json>openapi.json</a></p>"
    page = f"<div class=dl-root><main class=dl-reference>{head}{body}</main></div>"
    return HTMLResponse(document("Routes · Dailies", page), headers={"Cache-Control": "no-cache"})


def _routes(paths: Schema) -> Iterator[str]:
    """One section per first name after /api/."""
    for group, found in groupby(sorted(paths), key=lambda path: path.split("/")[1:3][-1]):
        yield f"<h2>{escape(group)}</h2>"
        for path in found:
            for method, operation in paths[path].items():
                yield _route(method, path, operation)


def _route(method: str, path: str, operation: Schema) -> str:
    rows = [
        (one["name"], _type(one["schema"]), "" if one.get("required") else "optional")
        for one in operation.get("parameters", ())
    ]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        rows.append(("body", _type(content["schema"]), ""))
    for content in operation["responses"].get("200", {}).get("content", {}).values():
        rows.append(("reply", _type(content.get("schema", {})), ""))
    about = escape(operation.get("description", ""))
    return f"<h3><code>{method.upper()} {escape(path)}</code></h3><p>{about}</p>{_table(rows)}"


def _shapes(schemas: Schema) -> Iterator[str]:
    yield "<h2>Shapes</h2>"
    for name, schema in sorted(schemas.items()):
        needed = schema.get("required", ())
        rows = [
            (field, _type(about), "" if field in needed else "optional")
            for field, about in schema.get("properties", {}).items()
        ]
        about = escape(schema.get("description", ""))
        yield f"<h3 id={escape(name)}><code>{escape(name)}</code></h3><p>{about}</p>{_table(rows)}"


def _table(rows: list[tuple[str, str, str]]) -> str:
    """Columns: name, type as HTML, note."""
    cells = "".join(f"<tr><th>{escape(name)}<td>{kind}<td>{escape(note)}" for name, kind, note in rows)
    return f"<table>{cells}</table>" if cells else ""


def _type(schema: Schema) -> str:
    """The type as HTML, with links to the shapes."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f"<a href=#{name}>{name}</a>"
    if choices := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return " or ".join(_type(choice) for choice in choices)
    if "enum" in schema or "const" in schema:
        return " or ".join(
            f"<code>{escape(str(one))}</code>" for one in schema.get("enum", [schema.get("const")])
        )
    if schema.get("type") == "array":
        several = [_type(one) for one in schema.get("prefixItems", ())]
        return f"[{', '.join(several)}]" if several else f"list of {_type(schema.get('items', {}))}"
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"{_type(inner)} by name" if isinstance(inner, dict) else "any object"
    return escape(str(schema.get("type", "any JSON")))
