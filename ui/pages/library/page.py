"""Library: all videos, and what is to be done with each."""

from __future__ import annotations

from ui.lib.page_spec import PageSpec
from ui.pages.library import assignments_routes, routes
from ui.pages.library.first_answers import library_first

PAGE = PageSpec(
    name="library",
    label="Library",
    key="Alt+Shift+l",
    shows="videos",
    routers=(routes.router, assignments_routes.router),
    first_answers=library_first,
)
