"""Responses with elements of captions (CapST)."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from annotation.systems.carebench.capst_requests import ElementKind
from annotation.systems.carebench.capst_scores import SideName
from ui.lib.item_wire_types import ItemHead, ItemJudged, ItemShown, OwnOpinion
from ui.lib.shared_wire_types import EditableText, EditableWords, Saved


class ElementValue(EditableWords):
    id: str
    by: str
    """Who added it; empty for an extracted one."""


class CaptionWithSpans(EditableText):
    spans: list[tuple[int, int]]
    """The spans that support the element, in code points."""


class ListedElement(TypedDict):
    id: str
    words: str
    corrected: bool
    item: str
    """Empty if it was not judged yet."""


class ElementList(TypedDict):
    """The elements of one kind of one caption."""

    kind: ElementKind
    side: SideName
    text: str
    """Id of the caption."""
    state: str
    """State of the extraction."""
    stale: bool
    elements: list[ListedElement]


class ElementShown(ItemShown):
    kind: ElementKind
    side: SideName
    baseline: bool
    element: ElementValue
    captions: dict[str, CaptionWithSpans]
    """Captions of both sides; the element's own side comes first."""
    lists: list[ElementList]


class ElementJudged(ItemJudged, total=False):
    """Verdicts on an element.

    `raw` and `others` reveal other elements too; left out for people who label blind.
    """

    others: dict[str, str]
    """By element the label that counts, or the state if there is none."""


class ElementItem(ItemHead, ElementShown, ElementJudged, OwnOpinion):
    of: Literal["capst"]


class ElementAdded(Saved):
    id: str
