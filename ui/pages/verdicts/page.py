"""Verdicts: questions with answers and verdicts beside their frames; its other face shows other items."""

from __future__ import annotations

from ui.lib.page_spec import Face, PageSpec
from ui.pages.verdicts import evidence_routes, items_routes, questions_routes, routes
from ui.pages.verdicts.first_answers import verdicts_first

PAGE = PageSpec(
    name="verdicts",
    label="Verdicts",
    key="Alt+Shift+v",
    shows="questions",
    routers=(
        routes.router,
        questions_routes.router,
        evidence_routes.router,
        items_routes.router,
    ),
    first_answers=verdicts_first,
    scopes=("player", "queue"),
    faces=(Face("items", parameter="of", scopes=("player",)),),
    tasks={"verdicts": ""},
)
