"""Scores: tables of an evaluation, comparisons, judge and people, prompts."""

from __future__ import annotations

from ui.lib.page_spec import PageSpec
from ui.pages.scores import evaluation_passes_routes, prompt_routes, routes
from ui.pages.scores.first_answers import scores_first

PAGE = PageSpec(
    name="scores",
    label="Scores",
    key="Alt+Shift+c",
    shows="scores",
    routers=(evaluation_passes_routes.router, prompt_routes.router, routes.router),
    first_answers=scores_first,
)
