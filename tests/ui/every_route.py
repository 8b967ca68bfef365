"""Every route of ours, and requests that each of them would read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Any
from urllib.parse import quote, urlencode

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from ui.routers import ROUTERS

HALVES = "surrogatepass"
"""So that half of a surrogate pair can be sent in an address too."""
ENDLESS = "/api/events"
"""Its answer goes on for as long as somebody listens: test_events.py looks at it."""
KNOWN = {"index": "0", "kind": "jpg", "size": "160", "of": "hal"}
PARAMETERS = re.compile(r"\{(\w+)\}")


def _all() -> Iterator[tuple[str, APIRoute]]:
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute) and route.path != ENDLESS:
                for method in sorted((route.methods or set()) - {"HEAD"}):
                    yield f"{method} {route.path}", route


ROUTES = dict(_all())
"""By `METHOD /path`."""


@cache
def operation(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What OpenAPI says of a route, and the schemas it refers to; nothing of pages, which it leaves out."""
    schema = get_openapi(title="", version="", routes=[ROUTES[name]])
    methods: dict[str, Any] = next(iter(schema["paths"].values()), {})
    found = next(iter(methods.values()), {})
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


def requests(name: str, video: str, word: str) -> Iterator[dict[str, Any]]:
    """The route asked with the word in each place where it takes one."""
    method = name.split(" ")[0]
    known = KNOWN | {"video_id": video}
    found, _ = operation(name)
    plain = asked(name)
    for place in [p["name"] for p in found.get("parameters", ()) if p["in"] == "path"]:
        sent = quote(word, safe="", errors=HALVES)
        yield {"method": method, "url": path_of(name, known | {place: sent}), **plain}
    url = path_of(name, KNOWN | {"video_id": video})
    for place in [p["name"] for p in found.get("parameters", ()) if p["in"] == "query"]:
        asked_for = urlencode(plain["params"] | {place: word}, errors=HALVES)
        yield {"method": method, **plain, "url": f"{url}?{asked_for}", "params": None}
    yield from with_bodies(name, video, word, str)


def with_bodies(name: str, video: str, value: object, kinds: type | UnionType) -> Iterator[dict[str, Any]]:
    """The route asked with the value in place of each one of these kinds in its JSON."""
    found, parts = operation(name)
    content = found.get("requestBody", {}).get("content", {}).get("application/json")
    whole = example(content["schema"], parts, whole=True) if content else {}
    request = {"method": name.split(" ")[0], "url": path_of(name, KNOWN | {"video_id": video})}
    for body in filled(whole, value, kinds):
        headers = {"Content-Type": "application/json"}
        yield {**request, "content": json.dumps(body), "headers": headers}


def filled(body: Any, value: object, kinds: type | UnionType) -> Iterator[Any]:
    if isinstance(body, kinds):
        yield value
    elif isinstance(body, dict):
        for key in body:
            yield from (body | {key: inner} for inner in filled(body[key], value, kinds))
    elif isinstance(body, list):
        for n, item in enumerate(body):
            yield from ([*body[:n], inner, *body[n + 1 :]] for inner in filled(item, value, kinds))
