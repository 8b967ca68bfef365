"""Every route of ours, and requests that each of them would read."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from ui import login, routes

PARAMETERS = re.compile(r"\{(\w+)\}")


def _all() -> Iterator[tuple[str, APIRoute]]:
    modules = [importlib.import_module(f"ui.routes.{m.name}") for m in pkgutil.iter_modules(routes.__path__)]
    for module in (*modules, login):
        router = getattr(module, "router", None)
        for route in router.routes if router else ():
            if isinstance(route, APIRoute):
                for method in sorted(route.methods or ()):
                    yield f"{method} {route.path}", route


ROUTES = dict(_all())
"""By `METHOD /path`."""


@cache
def operation(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What OpenAPI says of a route, and the schemas it refers to."""
    schema = get_openapi(title="", version="", routes=[ROUTES[name]])
    found = next(iter(next(iter(schema["paths"].values())).values()))
    return found, schema.get("components", {}).get("schemas", {})


def path_of(name: str, values: Mapping[str, str]) -> str:
    """The path with its parameters filled in; those that `values` lacks are `x`."""
    path = name.split(" ")[1]
    for part in PARAMETERS.findall(path):
        path = path.replace(f"{{{part}}}", values.get(part, "x"))
    return path


def asked(name: str) -> dict[str, Any]:
    """Arguments of a request that the route reads without complaint about its form."""
    found, parts = operation(name)
    query = {
        p["name"]: example(p["schema"], parts)
        for p in found.get("parameters", ())
        if p["in"] == "query" and p["required"]
    }
    content = found.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return {"params": query, "files": [("files", ("a.txt", b"x"))]}
    if "application/x-www-form-urlencoded" in content:
        body = content["application/x-www-form-urlencoded"]["schema"]
        return {"params": query, "data": example(body, parts)}
    if "application/json" in content:
        return {"params": query, "json": example(content["application/json"]["schema"], parts)}
    return {"params": query}


def example(schema: Mapping[str, Any], parts: Mapping[str, Any], *, whole: bool = False) -> Any:
    """A value of this shape. `whole`: also with what may be left out."""
    if "$ref" in schema:
        return example(parts[schema["$ref"].rpartition("/")[2]], parts, whole=whole)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return example(schema[choice][0], parts, whole=whole)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {
            n: example(fields[n], parts, whole=whole)
            for n in (fields if whole else schema.get("required", ()))
        }
    if kind == "array":
        items = schema.get("prefixItems") or [schema.get("items", {})] * max(
            int(whole), schema.get("minItems", 0)
        )
        return [example(item, parts, whole=whole) for item in items]
    return {"string": "x", "integer": 1, "number": 1.0, "boolean": True}.get(str(kind))
