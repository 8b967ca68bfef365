"""What a system brings so that its items show on the Verdicts page (`?of=NAME`).

An item is what one judge's word is about, other than a VDC question: the order of three scenes, a
letter, the words of a caption, an element of a caption. To show a system's items:

1. Its run of verdicts has `params["system"]` (`benchmark_of_evaluation`), and belongs to an evaluation
   with the role `verdicts`. That alone makes the evaluation known to the page.
2. An `ItemSource` stands in `items_view.ITEMS`: `rows(store, evaluation_id)` gives every item of
   an evaluation, `detail(store, row id)` everything about one. What is sent of it is a shape of its own in
   `item_wire_types.ItemDetail`.
3. A module `scripts/items_NAME.js` exports `draw(detail, page)`, which returns what stands in the panel:
   nodes above the correction, or `{nodes, below}`, or with `corrects: true` and `number(n)`,
   `step(by)`, `save()` a panel that corrects by itself, by `panel.send({target, value,
   base_revision})` (`items_panel.js` there). It may export `row(row)` -> `{label}`, `verdict(detail)`
   (nodes that say what counts) and `counts` (its heading).

Filters, sorts, paging, counts, blind labelling, keys, deep links, the form of a correction and undo
are the page's. A correction is a `Correction` of the field `verdict` of the verdict whose id is the
row's id, unless the source brings a `correct` of its own.

Who labels blind is sent `Detail.shown` alone, and rows without state, label and marks; so what a
judge, a parser or another person said is told by `Detail.item` to those who may see it, and `shown` holds
nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from annotation.editing.edits import Edit, apply_edit
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.store.store import Store
from backends.errors import UsageError
from ui.pages.verdicts.item_wire_types import ComparedWord, ItemHead, ItemShown, OwnOpinion, SystemItem


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One line of the list."""

    id: str
    """Of its verdict, where a correction is of that."""
    video_id: str
    title: str
    """Of the video."""
    text: str
    """What is asked, in a line or two."""
    note: str
    """Small words under it."""
    state: str
    """A shape of `ui/lib/parts/elements_and_requests.js`: `yes` right, `no` wrong, `flagged`, `unparsed`,
    `failed`, `missing`, `done` read but not known to be right, `entailment`, `neutral`, `contradiction`."""
    label: str
    """The value in a few letters."""
    rank: float
    """The lowest stand first when the worst are sorted to the top."""
    score: float | None = None
    corrected: bool = False
    confirmed: bool = False
    """Whether a person found it as the machine says."""
    stale: bool = False
    flag: str = ""
    """What is wrong with how the reply was read, in a line."""
    facets: Mapping[str, str] = field(default_factory=dict)
    """What the list can be narrowed by: `{"setting": "whole", "place": "40 %"}`."""

    @property
    def open(self) -> bool:
        """Whether a person should look at it."""
        return not (self.corrected or self.confirmed) and self.state not in ("yes", "entailment")


@dataclass(frozen=True, slots=True)
class Said:
    """What people say of an item, for one who may see it."""

    own: Mapping[str, str]
    """By verdict: what the asker says themselves."""
    by: str
    """Whose opinion counts; empty where it is the machine's."""
    blind: bool
    """Whether the asker labels blind: of other items nothing may be told."""

    def opinion(self, item_id: str) -> OwnOpinion:
        return {"mine": self.own.get(item_id, ""), "by": self.by}


class Detail(Protocol):
    """Everything about one item."""

    @property
    def shown(self) -> ItemShown:
        """What the judge had too: the item, the reply, frames. Number keys choose from `choices`."""
        ...

    @property
    def state(self) -> str:
        """What counts now."""
        ...

    @property
    def base_revision(self) -> int: ...

    @property
    def words(self) -> Sequence[ComparedWord]:
        """Of an item with several verdicts: those that are set one by one."""
        ...

    def item(self, head: ItemHead, said: Said | None) -> SystemItem:
        """As the page is sent it; of a hidden one (None) what is shown alone."""
        ...


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A correction that a person asks for."""

    value: str
    base_revision: int
    reason: str = ""
    cleared: bool = False
    target: str = ""
    """Of an item with several verdicts: which."""


Correct = Callable[[Store, Person | None, str, ItemChange], None]


def correct_verdict(store: Store, person: Person | None, item_id: str, change: ItemChange) -> None:
    """Lay a label over that of the verdict with this id. Raises as `apply_edit`."""
    verdict = store.get(Verdict, change.target or item_id)
    if not change.cleared and not change.value:
        raise UsageError("choose what it should be, then save")
    value = None if change.cleared else {"label": change.value, "score": None}
    edit = Edit("verdict", verdict.id, "verdict", value, change.base_revision, change.reason, change.cleared)
    apply_edit(store, person, edit)


@dataclass(frozen=True, slots=True)
class ItemSource:
    """One system's items."""

    name: str
    systems: tuple[str, ...]
    """The names that its runs carry in `params["system"]`."""
    what: str
    """One item, in words: `order`, `answer`."""
    rows: Callable[[Store, str], Sequence[ItemRow]]
    """All items of an evaluation, in the order of the benchmark."""
    detail: Callable[[Store, str], Detail]
    """One item. Raises NotFound."""
    evaluation_of: Callable[[Store, str], str]
    """The evaluation that an item belongs to."""
    correct: Correct = correct_verdict
