"""The interface of a system whose items show on the Verdicts page (`?of=NAME`).

An item is the subject of one judge's verdict other than a VDC question: the order of three scenes, a
letter, the words of a caption, an element of a caption. To show a system's items:

1. Its run of verdicts has `params["system"]` (`benchmark_of_evaluation`), and belongs to an evaluation
   with the role `verdicts`. That alone makes the evaluation known to the page.
2. Its `SystemView` names an `ItemSource`: `rows(store, evaluation_id)` returns all items of an
   evaluation, `detail(store, row id)` everything about one. The type of its response extends those of
   `item_wire_types`.
3. A module `scripts/items_NAME.js` in the system's folder exports `draw(detail, panel)`, which returns the
   content of the panel, made with the `h` of `ui/lib/components/component.js`: what stands above the
   correction, or `{nodes, below}`, or, for a panel that saves its own corrections with `panel.send` (see
   `ui/lib/components/item_parts.js`), an object with `corrects: true` and `number(n)`, `step(by)`, `save()`.
   It may export `row(row)` -> `{label}`, `verdict(detail)` (what counts) and `counts` (its heading).

The page provides filters, sorts, paging, counts, blind labelling, keys, deep links, the form of a
correction and undo. A correction is a `Correction` of the field `verdict` of the verdict whose id is the
row's id, unless the source has its own `correct`.

People who label blind get only `Detail.shown`, and rows without state, label and marks. Therefore all
verdicts of a judge, a parser or another person belong in `Detail.judged`, which is sent only to people
who may see them, never in `shown`.
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
from ui.lib.item_wire_types import ItemFacts, ItemHead, ItemRow, ItemShown, OwnOpinion


@dataclass(frozen=True, slots=True)
class ItemOpinions:
    """People's opinions of an item, for a person who may see them."""

    own: Mapping[str, str]
    """By verdict: the current person's own opinion."""
    by: str
    """Whose opinion counts; empty if the machine's does."""
    blind: bool
    """Whether the current person labels blind: opinions of other items stay hidden."""

    def opinion(self, item_id: str) -> OwnOpinion:
        return {"mine": self.own.get(item_id, ""), "by": self.by}


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything about one item."""

    of: str
    """The system's name."""
    shown: ItemShown
    """What the judge saw too: the item, the reply, frames. Number keys choose from `choices`."""
    judged: Mapping[str, Any]
    """Verdicts on the item; `words` of an item with several verdicts are corrected one by one."""
    state: str
    """The state that counts now."""
    base_revision: int
    of_others: Collection[str] = ()
    """Keys of `judged` that reveal other items too; left out for people who label blind."""

    @property
    def words(self) -> Sequence[Mapping[str, Any]]:
        words: Sequence[Mapping[str, Any]] = self.judged.get("words", ())
        return words

    def item(self, head: ItemHead, opinions: ItemOpinions | None) -> ItemFacts:
        """The item as sent to the page; for a hidden one (None) only what is always shown."""
        item = {**head, "of": self.of, **self.shown}
        if opinions:
            left_out = self.of_others if opinions.blind else ()
            item |= {key: value for key, value in self.judged.items() if key not in left_out}
            item |= opinions.opinion(head["id"])
        if opinions and self.words:
            item["words"] = [{**word, "mine": opinions.own.get(word["id"], "")} for word in self.words]
        return cast(ItemFacts, item)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A person's correction of an item."""

    value: str
    base_revision: int
    reason: str = ""
    cleared: bool = False
    target: str = ""
    """Which verdict, for an item with several."""


def evaluation_of(store: Store, item_id: str) -> str:
    """The evaluation that an item belongs to. Raises NotFound."""
    run_id = store.get(Verdict, item_id).run_id
    links = store.find(EvaluationRun, run_id=run_id, role="verdicts", order_by=["id"])
    if not links:
        raise NotFound("this verdict is not in an evaluation; reload the list")
    return links[0].evaluation_id


Correct = Callable[[Store, Person | None, str, ItemChange], None]


def correct_verdict(store: Store, person: Person | None, item_id: str, change: ItemChange) -> None:
    """Correct the label of the verdict with this id. Raises as `apply_edit`."""
    verdict = store.get(Verdict, change.target or item_id)
    if not change.cleared and not change.value:
        raise UsageError("choose a value, then save")
    value = None if change.cleared else {"label": change.value, "score": None}
    edit = Edit("verdict", verdict.id, "verdict", value, change.base_revision, change.reason, change.cleared)
    apply_edit(store, person, edit)


def no_captions(_store: Store, _item_id: str) -> Sequence[str]:
    return ()


def no_videos(_store: Store, _person: Person) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSource:
    """The items of one kind of one system."""

    name: str
    """Name in the address, and of the module `scripts/items_NAME.js`."""
    label: str
    """Label in the switch."""
    title: str
    """What the items are, in a few words."""
    systems: tuple[str, ...]
    """The names in `params["system"]` of its runs."""
    what: str
    """The word for one item: `order`, `answer`."""
    wire: type[Any]
    """The type of its items in responses: a TypedDict whose field `of` is a `Literal` of the name."""
    rows: Callable[[Store, str], Sequence[ItemRow]]
    """All items of an evaluation, in the order of the benchmark."""
    detail: Callable[[Store, str], Detail]
    """One item. Raises NotFound."""
    correct: Correct = correct_verdict
    done: str = "read"
    """The word for the state `done` in counts."""
    captions_of: Callable[[Store, str], Sequence[str]] = no_captions
    """The captions that an item quotes: people who may not read them may not see the item."""
    closed_videos: Callable[[Store, Person], Collection[str]] = no_videos
    """The videos whose rows are listed without their text to this person."""
    place: int = 0
    """Sort key of the switch; sources with the same key are in the order of the list of systems."""
