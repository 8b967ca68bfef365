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
judge, a parser or another person said stands in `Detail.told`, for those who may see it, and `shown` holds
nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from annotation.editing.edits import Edit, apply_edit
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.runs import EvaluationRun
from annotation.store.store import Store
from backends.errors import UsageError
from ui.pages.verdicts.item_wire_types import (
    ComparedWord,
    ItemHead,
    ItemRow,
    ItemShown,
    OwnOpinion,
    SystemItem,
)


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


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything about one item."""

    of: str
    """The system's name."""
    shown: ItemShown
    """What the judge had too: the item, the reply, frames. Number keys choose from `choices`."""
    told: Mapping[str, Any]
    """What was said of it; `words`, of an item with several verdicts, are those that are set one by one."""
    state: str
    """What counts now."""
    base_revision: int
    of_others: Collection[str] = ()
    """Keys of `told` that tell of other items too: not to who labels blind."""

    @property
    def words(self) -> Sequence[ComparedWord]:
        words: Sequence[ComparedWord] = self.told.get("words", ())
        return words

    def item(self, head: ItemHead, said: Said | None) -> SystemItem:
        """As the page is sent it; of a hidden one (None) what is shown alone."""
        item = {**head, "of": self.of, **self.shown}
        if said:
            left_out = self.of_others if said.blind else ()
            item |= {key: value for key, value in self.told.items() if key not in left_out}
            item |= said.opinion(head["id"])
        if said and self.words:
            item["words"] = [{**word, "mine": said.own.get(word["id"], "")} for word in self.words]
        return cast(SystemItem, item)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A correction that a person asks for."""

    value: str
    base_revision: int
    reason: str = ""
    cleared: bool = False
    target: str = ""
    """Of an item with several verdicts: which."""


def evaluation_of(store: Store, item_id: str) -> str:
    """The evaluation that an item belongs to. Raises NotFound."""
    run_id = store.get(Verdict, item_id).run_id
    links = store.find(EvaluationRun, run_id=run_id, role="verdicts", order_by=["id"])
    if not links:
        raise NotFound("this verdict is in no evaluation; open the list again")
    return links[0].evaluation_id


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
    correct: Correct = correct_verdict
