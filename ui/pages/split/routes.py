"""Full, spatial and temporal text of a video."""

from __future__ import annotations

from fastapi import APIRouter

from annotation.systems.carebench.split_checks.finding import Side
from ui.lib.view_parts import one_snapshot
from ui.pages.split.view import split_json
from ui.pages.split.wire_types import SplitPage
from ui.requests.dependencies import PartsOf, TextSightOf

router = APIRouter(prefix="/api/split")


@router.get("/{video_id}")
def split_page(
    video_id: str,
    parts: PartsOf,
    texts: TextSightOf,
    full: str = "",
    spatial: str = "",
    temporal: str = "",
    player: bool = True,
) -> SplitPage:
    """The three texts; `full`, `spatial` and `temporal` select a certain author's text by its id."""
    wanted: dict[Side, str] = {"full": full, "spatial": spatial, "temporal": temporal}
    with one_snapshot(parts.store, parts.media, video_id):
        return split_json(parts.store, parts.media, video_id, wanted, player=player, sight=texts)
