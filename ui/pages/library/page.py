"""Library: all videos, and what is to be done with each."""

from __future__ import annotations

from ui.lib.page_spec import PageSpec
from ui.pages.library import assignments_routes, routes

PAGE = PageSpec(
    name="library",
    label="Library",
    key="Alt+Shift+l",
    shows="videos",
    routers=(routes.router, assignments_routes.router),
)
