"""Generates docs/keys.md from the table of keys that the pages read."""

from __future__ import annotations

from itertools import groupby

from ui.pages.page_table import EVERYWHERE, KeyRow, page_table
from ui.pages.verdicts.items_view import ITEMS

TABS = ", ".join(source.label for source in ITEMS.values())
TITLES = {"everywhere": "Everywhere", "items": f"Items (tabs {TABS} of Verdicts)"}
NAMES = {" ": "Space", "ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓", "Escape": "Esc"}

HEAD = """# Keys

`make docs` generates this page from `ui/lib/keys/keymap.json` and the `keys.json` of each page; do not edit
it. `?` shows the keys of the open page. There you can search for a key by word, change it, reset it, or
switch off single keys (one letter, digit or punctuation mark without Ctrl or Alt), which is useful for voice
control. A key that already has another meaning on the same page is rejected, and the message names that
meaning. Your changes are stored in your browser and apply only to you.

In a field, a form, a dialog or a menu, all keys belong to it except those marked ✎, which also work there.
Esc leaves it. What you type after a key marked ▸ goes into the field that it opens. On a Mac, use Cmd
instead of Ctrl.
"""


def keys_page() -> str:
    """Return the text of keys.md: keys for every page, then scopes, then each page."""
    table = page_table()
    order = [*table["scopes"], *table["scopes"][EVERYWHERE]]
    rows = sorted(table["rows"], key=lambda row: order.index(row["page"]))
    sections = [
        _section(page, table["scopes"].get(page), list(found))
        for page, found in groupby(rows, key=lambda row: row["page"])
    ]
    return "\n".join([HEAD, *sections])


def _section(page: str, pages: list[str] | None, rows: list[KeyRow]) -> str:
    where = f" (on {', '.join(name.capitalize() for name in pages)})" if pages else ""
    title = TITLES.get(page, f"{page.capitalize()}{where}")
    lines = [f"| {_keys(row['keys'])}{_marks(row)} | {_what(row)} |" for row in rows]
    return "\n".join([f"## {title}", "", "| keys | action |", "|---|---|", *lines, ""])


def _marks(row: KeyRow) -> str:
    return f"{' ✎' if row.get('in_text') else ''}{' ▸' if row.get('opens') else ''}"


def _what(row: KeyRow) -> str:
    words = row["what"].replace("|", "\\|")
    others = [f"{page.capitalize()}: {_keys(keys)}" for page, keys in row.get("on", {}).items() if keys]
    absent = [page.capitalize() for page, keys in row.get("on", {}).items() if not keys]
    notes = [*others, *([f"not on {', '.join(absent)}"] if absent else [])]
    return f"{words} ({'; '.join(notes)})" if notes else words


def _keys(keys: list[str]) -> str:
    return " or ".join(f"`{_shown(key)}`" for key in keys)


def _shown(key: str) -> str:
    """Return a key as the pages show it: `Ctrl Shift Z`, `←`."""
    *modifiers, last = key[:-1].split("+") if key.endswith("+") else key.split("+")
    last = "+" if key.endswith("+") else last
    name = NAMES.get(last, last.upper() if len(last) == 1 and modifiers and any(modifiers) else last)
    return " ".join([*(part for part in modifiers if part), name]).replace("|", "\\|")
