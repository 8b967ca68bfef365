"""The list of pages for scripts and docs: the pages, and the keys of all of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from annotation.people.permissions import Action
from ui.lib.page_spec import PageSpec, Shows
from ui.pages.page_list import PAGES, path_of

UI = Path(__file__).resolve().parents[1]
SHARED_KEYS = UI / "lib" / "keys" / "keymap.json"
EVERYWHERE = "everywhere"
"""The scope that applies to every page."""


class FaceFacts(TypedDict):
    name: str
    parameter: str


class PageFacts(TypedDict):
    """Facts of a page, as in `PageSpec`."""

    name: str
    path: str
    label: str
    shows: Shows
    needs: Action
    tasks: dict[str, str]
    faces: list[FaceFacts]


class KeyRow(TypedDict):
    """One row of a table of keys."""

    id: str
    page: str
    """A page, a face or a scope."""
    group: str
    keys: list[str]
    what: str
    on: NotRequired[dict[str, list[str]]]
    """Pages of the scope with other keys for this row; an empty list: the row does not apply there."""
    in_text: NotRequired[bool]
    """Whether it works while typing."""
    opens: NotRequired[bool]
    """Whether it opens a field: the keys after it are typed into that field."""
    leaves: NotRequired[bool]
    in_order: NotRequired[bool]


class PageTable(TypedDict):
    pages: list[PageFacts]
    scopes: dict[str, list[str]]
    """For each scope the pages and faces on which its keys work."""
    rows: list[KeyRow]
    """The rows of every page first, then those of each page, then the other scopes."""


@cache
def page_table() -> PageTable:
    """Raises KeyError if a page changes the keys of a row that is not in any scope."""
    shared: list[KeyRow] = _read(SHARED_KEYS)["rows"]
    own = [_read(UI / "pages" / page.name / "keys.json") for page in PAGES]
    for found in own:
        _add_other_keys(shared, found.get("other_keys", {}))
    return {
        "pages": [_facts(page) for page in PAGES],
        "scopes": _scopes(),
        "rows": [
            *(row for row in shared if row["page"] == EVERYWHERE),
            *(_way_to(page) for page in PAGES),
            *(row for found in own for row in found["rows"]),
            *(row for row in shared if row["page"] != EVERYWHERE),
        ],
    }


@cache
def packed_table() -> bytes:
    """The table as JSON for browsers."""
    return json.dumps(page_table(), ensure_ascii=False, separators=(",", ":")).encode()


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _add_other_keys(shared: list[KeyRow], others: dict[str, dict[str, list[str]]]) -> None:
    """Add the keys that differ by page. `others`: keys by page or face, then by the id of the shared row."""
    by_id = {row["id"]: row for row in shared}
    for page, keys_by_row in others.items():
        for row_id, keys in keys_by_row.items():
            by_id[row_id].setdefault("on", {})[page] = keys


def _facts(page: PageSpec) -> PageFacts:
    return {
        "name": page.name,
        "path": path_of(page),
        "label": page.label,
        "shows": page.shows,
        "needs": page.needs,
        "tasks": dict(page.tasks),
        "faces": [{"name": face.name, "parameter": face.parameter} for face in page.faces],
    }


def _scopes() -> dict[str, list[str]]:
    scopes: dict[str, list[str]] = {EVERYWHERE: []}
    for name, used in _faces():
        for scope in (EVERYWHERE, *used):
            scopes.setdefault(scope, []).append(name)
    return scopes


def _faces() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Pages and their faces, each with its scopes of keys."""
    for page in PAGES:
        yield page.name, page.scopes
        yield from ((face.name, face.scopes) for face in page.faces)


def _way_to(page: PageSpec) -> KeyRow:
    return {
        "id": f"{EVERYWHERE}.page_{page.name}",
        "page": EVERYWHERE,
        "group": "Pages",
        "keys": [page.key],
        "what": f"go to {page.label}",
        "in_text": True,
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(packed_table())
