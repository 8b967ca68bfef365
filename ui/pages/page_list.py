"""The pages, in the order of the bar. A page is a folder with `page.py`, and an entry here."""

from __future__ import annotations

from ui.lib.page_spec import PageSpec
from ui.pages.keyframes import page as keyframes
from ui.pages.library import page as library
from ui.pages.scores import page as scores
from ui.pages.script import page as script
from ui.pages.split import page as split
from ui.pages.verdicts import page as verdicts

PAGES: tuple[PageSpec, ...] = (
    library.PAGE,
    script.PAGE,
    verdicts.PAGE,
    split.PAGE,
    keyframes.PAGE,
    scores.PAGE,
)
"""The first page is at `/`, to which its name redirects; the others are at their names."""


def path_of(page: PageSpec) -> str:
    return "/" if page is PAGES[0] else f"/{page.name}"
