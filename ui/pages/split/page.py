"""Split: the four parts of a caption, their merge, and its spatial and temporal text."""

from __future__ import annotations

from annotation.systems.carebench.split_checks import tagging
from ui.lib.page_spec import PageSpec
from ui.pages.split import aspects_routes, routes
from ui.pages.split.first_answers import split_first

PAGE = PageSpec(
    name="split",
    label="Split",
    key="Alt+Shift+t",
    shows="video",
    routers=(routes.router, aspects_routes.router),
    first_answers=split_first,
    models=(tagging.PIPELINE,),
    scopes=("player", "queue", "videos"),
    tasks={"aspects": "write", "merge": "merge", "split": "split"},
)
