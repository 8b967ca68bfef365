"""Keyframes: candidate frames with captions, and the frames that each method keeps."""

from __future__ import annotations

from ui.lib.page_spec import PageSpec
from ui.pages.keyframes import labels_routes, routes
from ui.pages.keyframes.first_answers import keyframes_first

PAGE = PageSpec(
    name="keyframes",
    label="Keyframes",
    key="Alt+Shift+k",
    shows="video",
    routers=(routes.router, labels_routes.router),
    first_answers=keyframes_first,
    scopes=("player", "queue", "videos"),
    tasks={"keyframes": ""},
)
