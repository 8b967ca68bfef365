"""Every key that opens a field, on every page and view: what is typed after it runs nothing."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, open_page
from tests.browser.test_key_rule import decisions
from ui.pages.page_table import page_table

TABLE = page_table()
PLACES = {
    "": "library",
    "script": "script",
    "script?tab=camera": "script",
    "script?tab=speech": "script",
    "verdicts": "verdicts",
    "verdicts?state=missing": "verdicts",
    "split": "split",
    "split?tab=write": "split",
    "split?tab=merge": "split",
    "keyframes": "keyframes",
    "keyframes?view=label": "keyframes",
    "keyframes?view=study": "keyframes",
}
"""Pages and their views, with the name of the page in the table of keys."""
GOES_ON = [
    ("split?tab=merge", "split.save_next"),
    ("keyframes?view=label", "keyframes.save_next"),
    ("keyframes?view=study", "keyframes.save_next"),
]
"""No field is opened here: the key goes to the next part, pair or frame, and the next keys choose for it."""
OF_OTHER_TABS = {row["id"] for row in TABLE["rows"] if row["group"] == "Write and Merge"}
"""Keys that do nothing on the tab Split."""
SAVED = ("corrected", "wrote", "changed")
"""What saving a field is called; "changed" where a text was saved once before its last letter."""
DOES = {"split.begin": "gave a video to"}
"""What a key itself does here, beside opening a field."""
TAKEN = """([words, key]) => {
  const { activeElement: held } = document;
  if ('value' in held && held.value.includes(words) && !held.readOnly) return 'written';
  if (held.closest('dialog, form')) return 'form';
  const told = document.querySelector('.dl-notices')?.textContent || '';
  return [words, key + words].some((typed) => told.includes(`Not written: “${typed}”`)) ? 'told' : '';
}"""

SETTLED = "() => !document.querySelector('.dl-saved-typing, .dl-saved-saving, .dl-saved-waiting')"
"""Nothing typed is on its way: the page is left for the next key."""


def openers(page_name: str) -> list[tuple[str, str]]:
    """Id and key of all that opens a field on a page."""
    found = []
    for row in TABLE["rows"]:
        if row.get("opens") and page_name in TABLE["scopes"].get(row["page"], [row["page"]]):
            found += [(row["id"], key) for key in row.get("on", {}).get(page_name, row["keys"])[:1]]
    return found


def video_of(url: str) -> tuple[str, list[str]]:
    """The page, and the video that is open there."""
    found = urlsplit(url)
    return found.path, parse_qs(found.query).get("video", [])


@pytest.mark.parametrize("place", PLACES)
def test_letters_after_any_key_that_opens_a_field_run_nothing(server: Server, page, place: str) -> None:
    words = "jam, next six mergers 3"
    for row, key in openers(PLACES[place]):
        if (
            row in ("everywhere.search", "everywhere.help", "everywhere.replace", "player.go")
            and place != "script"
        ):
            continue  # the same everywhere
        if (place, row) in GOES_ON or (place == "split" and row in OF_OTHER_TABS):
            continue
        open_page(page, f"{server.url}/{place}")
        page.wait_for_load_state("networkidle")
        video, before = video_of(page.url), decisions(server)
        page.keyboard.press(key.replace("Ctrl", "Control"))
        page.keyboard.type(words, delay=5)
        page.wait_for_function(TAKEN, arg=[words, key])
        page.wait_for_function(SETTLED)
        assert video_of(page.url) == video, row
        expected = (*SAVED, DOES.get(row, "wrote"))
        new = [what for _, what in decisions(server)[len(before) :]]
        assert [what for what in new if not what.startswith(expected)] == [], row
