"""The one table of keys: no clash on any page, and every row says what it needs."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from ui.pages.page_table import EVERYWHERE, KeyRow, page_table

TABLE = page_table()
PAGES = TABLE["scopes"][EVERYWHERE]
"""Pages and their faces."""
CHORD = re.compile(r"(Ctrl\+)?(Alt\+)?(Shift\+)?([^A-Z\s]|[A-Z][A-Za-z]+|F\d{1,2}| )")
BROWSERS = {f"Ctrl+{letter}" for letter in "acflnprtvwx"} | {"Tab", "Shift+Tab", "F5"}


def pages_of(row: KeyRow) -> list[str]:
    return TABLE["scopes"].get(row["page"], [row["page"]])


def keys_on(row: KeyRow, page: str) -> list[str]:
    return row.get("on", {}).get(page, row["keys"]) if page in pages_of(row) else []


def meanings(rows: list[KeyRow], page: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for key in keys_on(row, page):
            found[key].append(row["id"])
    return found


def clashes(rows: list[KeyRow], page: str) -> dict[str, list[str]]:
    return {key: ids for key, ids in meanings(rows, page).items() if len(ids) > 1}


@pytest.mark.parametrize("page", PAGES)
def test_no_key_means_two_things_on_a_page(page: str) -> None:
    assert clashes(TABLE["rows"], page) == {}


def test_a_clash_is_seen() -> None:
    twin = {"id": "player.twin", "page": "player", "group": "Player", "keys": ["j"], "what": "twin"}
    assert clashes([*TABLE["rows"], twin], "script") == {"j": ["player.back", "player.twin"]}


@pytest.mark.parametrize("row", TABLE["rows"], ids=lambda row: row["id"])
def test_a_row_says_what_it_needs(row: KeyRow) -> None:
    assert set(row) - {"on", "in_text", "opens", "leaves", "in_order"} == {
        "id",
        "page",
        "group",
        "keys",
        "what",
    }
    assert row["page"] in {*PAGES, *TABLE["scopes"]}
    assert re.fullmatch(rf"{row['page']}\.[a-z0-9_]+", row["id"])
    assert set(row.get("on", {})) <= set(pages_of(row))
    assert row["keys"] and row["group"] and len(row["what"]) > 3
    for key in [*row["keys"], *(key for keys in row.get("on", {}).values() for key in keys)]:
        assert CHORD.fullmatch(key), key
        assert key not in BROWSERS, f"{key} belongs to the browser"
        if row.get("in_text"):
            assert key.startswith(("Ctrl+", "Alt+")), f"{key} would be typed"


def test_ids_are_unique_and_scopes_are_of_pages() -> None:
    ids = [row["id"] for row in TABLE["rows"]]
    assert len(ids) == len(set(ids))
    for pages in TABLE["scopes"].values():
        assert set(pages) <= set(PAGES)
