"""Vript on the pages: findings in scripts, and the three tasks of Vript-Hard."""

from __future__ import annotations

from annotation.systems.vript.current_scripts import open_counts
from ui.lib.system_view import SystemView
from ui.systems.vript import compare_routes
from ui.systems.vript.items_hal import HAL
from ui.systems.vript.items_hard import ERO, RR
from ui.systems.vript.vript_hard_view import HARD

SYSTEM = SystemView(
    name="vript",
    scores=HARD,
    items=(HAL, RR, ERO),
    routers=(compare_routes.router,),
    open_findings=open_counts,
)
