"""CaReBench on the pages: CapST and retrieval."""

from __future__ import annotations

from ui.lib.system_view import SystemView
from ui.systems.carebench import elements_routes
from ui.systems.carebench.capst_view import CAPST
from ui.systems.carebench.items_capst import CAPST_ITEMS
from ui.systems.carebench.retrieval_view import RETRIEVAL

SYSTEM = SystemView(
    name="carebench",
    scores=(CAPST, RETRIEVAL),
    items=(CAPST_ITEMS,),
    routers=(elements_routes.router,),
)
