"""Current elements of captions: extracted, and corrected, added or removed by people (CapST).

A caption may have been extracted several times. Its current elements are the list imported with
its dataset, else the newest readable extraction, plus the elements that people added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.records import fingerprints
from annotation.records.allowed_values import TextKind
from annotation.records.captions_to_verdicts import Text
from annotation.records.elements import Element, ElementList
from annotation.store.bulk_rows import chunks
from annotation.store.store import Current, Store
from annotation.systems.carebench.capst_requests import KINDS, ElementKind
from annotation.texts.which_text_counts import REFERENCES, counting_texts

REFERENCE: TextKind = "carebench:full"
PREDICTED: tuple[TextKind, ...] = (REFERENCE, "vdc:detailed")
"""Kinds of caption that CapST scores, in order of preference."""
Place = tuple[str, ElementKind]
"""A caption's id, and the kind of its elements."""


@dataclass(frozen=True, slots=True)
class ElementNow:
    """One element and its current words."""

    element: Element
    now: Current

    @property
    def words(self) -> str:
        return str(self.now.value)

    @property
    def gone(self) -> bool:
        """Whether a person removed it, or withdrew their addition."""
        return not self.words.strip()


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of one kind of one caption."""

    found: ElementList | None
    """None if the elements were imported without a list."""
    members: tuple[ElementNow, ...]
    """Includes removed elements."""
    stale: bool = False
    """Whether the caption has changed since they were extracted."""

    @property
    def kept(self) -> list[ElementNow]:
        return [one for one in self.members if not one.gone]

    @property
    def touched(self) -> bool:
        """Whether a person corrected, added or removed an element."""
        return any(one.now.corrected for one in self.members)


def reference_caption(store: Store, video_id: str) -> Text | None:
    """The current full caption by people or datasets."""
    return reference_captions(store, [video_id]).get(video_id)


def reference_captions(store: Store, video_ids: Iterable[str]) -> dict[str, Text]:
    """`{video id: full caption}` of the videos that have one."""
    found = counting_texts(store, [REFERENCE], REFERENCES, video_ids=set(video_ids))
    return {video_id: texts[REFERENCE].text for video_id, texts in found.items()}


def predicted_captions(store: Store, run_ids: Sequence[str]) -> dict[str, Text]:
    """`{video id: caption of these runs that CapST scores}`: CaReBench's before the detailed one of VDC.

    All captions belong to one evaluation, so no author is chosen.
    """
    found = store.find(Text, run_id=list(run_ids), kind=list(PREDICTED), order_by=["created_at", "id"])
    found.sort(key=lambda text: PREDICTED.index(text.kind), reverse=True)
    return {text.video_id: text for text, _ in store.not_superseded(found)}


def elements_of(
    store: Store, text_ids: Collection[str], run_ids: Collection[str] = ()
) -> dict[Place, Elements]:
    """The elements of these captions; a caption and kind without an extraction are omitted.

    `run_ids` are extractions that take precedence: those of an evaluation.
    """
    lists, members = _read(store, text_ids)
    now = store.currents("element", [e.id for group in members.values() for e in group], "value")
    texts = store.currents("text", text_ids, "value")
    found: dict[Place, Elements] = {}
    for place in {*lists, *members}:
        chosen = _chosen(lists.get(place, ()), members.get(place, ()), run_ids)
        if chosen is None:
            continue
        found_list, elements = chosen
        stale = found_list is not None and _is_stale(found_list, texts.get(place[0]))
        found[place] = Elements(found_list, tuple(ElementNow(e, now[e.id]) for e in elements), stale)
    return found


def _is_stale(found: ElementList, caption: Current | None) -> bool:
    """Whether the caption has changed since its elements were extracted."""
    if caption is None or not found.source_hash:
        return False
    return fingerprints.of_text(str(caption.value)) != found.source_hash


def _read(
    store: Store, text_ids: Collection[str]
) -> tuple[Mapping[Place, list[ElementList]], Mapping[Place, list[Element]]]:
    lists: defaultdict[Place, list[ElementList]] = defaultdict(list)
    members: defaultdict[Place, list[Element]] = defaultdict(list)
    for group in chunks(sorted(set(text_ids))):
        for one in store.find(ElementList, text_id=list(group), order_by=["created_at", "id"]):
            if one.kind in KINDS:
                lists[one.text_id, one.kind].append(one)
        for element in store.find(Element, text_id=list(group), order_by=["index", "created_at", "id"]):
            if element.kind in KINDS:
                members[element.text_id, element.kind].append(element)
    return lists, members


def _chosen(
    lists: Sequence[ElementList], members: Sequence[Element], run_ids: Collection[str]
) -> tuple[ElementList | None, list[Element]] | None:
    """The current list with its elements and people's additions; None if there are none."""
    counting = _counting(lists, members)
    mine = [one for one in lists if one.run_id in run_ids]
    found = (_last_done(mine) or mine[-1]) if mine else counting
    by_people = [e for e in members if e.person_id]
    if found is None:  # files of earlier versions contain elements without a list
        loose = [e for e in members if _loose(e) or e.person_id]
        return (None, loose) if loose else None
    own = [e for e in members if e.list_id == found.id or (found.run_id is None and _loose(e))]
    # People's additions are attached to the current list.
    return found, [*own, *(by_people if counting is None or found.id == counting.id else ())]


def _counting(lists: Sequence[ElementList], members: Sequence[Element]) -> ElementList | None:
    given = [one for one in lists if one.run_id is None]
    if given:
        return given[-1]
    if any(_loose(e) for e in members):
        return None
    return _last_done(lists) or (lists[-1] if lists else None)


def _loose(element: Element) -> bool:
    """Whether it was imported with a dataset and without a list."""
    return element.list_id is None and element.person_id is None and element.run_id is None


def _last_done(lists: Sequence[ElementList]) -> ElementList | None:
    done = [one for one in lists if one.state == "done"]
    return done[-1] if done else None
