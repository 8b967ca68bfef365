"""Script: the scenes of a video with their texts, its captions and its speech."""

from __future__ import annotations

from ui.lib.page_spec import PageSpec
from ui.pages.script import cuts_routes, replace_routes, routes, speech_routes
from ui.pages.script.first_answers import script_first

PAGE = PageSpec(
    name="script",
    label="Script",
    key="Alt+Shift+s",
    shows="video",
    routers=(cuts_routes.router, routes.router, speech_routes.router, replace_routes.router),
    first_answers=script_first,
    scopes=("player", "queue", "videos"),
    tasks={"script": "", "captions": "camera"},
)
