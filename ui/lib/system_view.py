"""The declaration of a system, in `view.py` of its folder; `ui/systems/system_list.py` lists the systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter

from annotation.store.store import Store
from ui.lib.item_sources import ItemSource
from ui.lib.question_system import QuestionSystem
from ui.lib.score_system import ScoreSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemView:
    """What a system shows on the pages. Its scripts and style sheets are in `scripts/` of its folder."""

    name: str
    """Name of its folder in `ui/systems/`."""
    questions: QuestionSystem | None = None
    """Its facts, if its evaluations consist of questions."""
    scores: tuple[ScoreSystem, ...] = ()
    """Its tables on Scores, in the order of the switch."""
    items: tuple[ItemSource, ...] = ()
    """Its items on Verdicts, in the order of the switch."""
    routers: tuple[APIRouter, ...] = ()
    """Its own routes. They are matched before those of the pages."""

    open_findings: Callable[[Store, Sequence[str]], Mapping[str, int]] | None = None
    """Counts the findings in its texts that are not dismissed, by video, for the Library."""

    def script_of(self, items: ItemSource) -> str:
        """Path in `ui` of the module that draws these items."""
        return f"systems/{self.name}/scripts/items_{items.name}.js"
