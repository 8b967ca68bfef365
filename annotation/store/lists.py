"""Long lists, paged, filtered and sorted on the server (`annotation.store.verdict_index` has the columns)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotation.errors import NotFound
from annotation.records import Evaluation
from annotation.store.ceilings import ceiling_evaluations
from annotation.store.store import Store
from annotation.store.systems import plain_evaluations
from annotation.store.verdict_index import Table, index_of
from annotation.store.verdict_states import STATES

Sort = Literal["worst", "worst_video", "order", "newest", "unsure", "differs"]
GROUPED: tuple[Sort, ...] = ("worst_video", "order")
"""Sorts that keep the questions of a video together."""
Doubt = Literal["", "suspect", "excluded", "sound"]
PAGE = 200
NO_BLAME = "none"
UNSURE = (2.0, 3.0)
"""Scores between which a judge has not made up its mind."""
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """What to show of an evaluation's verdicts. Empty means all."""

    evaluation_id: str
    video_id: str = ""
    kind: str = ""
    """An aspect, `vdc:camera`."""
    states: tuple[str, ...] = ()
    """Any of the names in `STATES`."""
    words: str = ""
    """Text found in question or reference answer, case ignored."""
    sort: Sort = "worst"
    category: str = ""
    """Text found in the category of the question, case ignored."""
    source: str = ""
    """Where the video comes from, as its dataset says."""
    discipline: str = ""
    blame: str = ""
    """A kind of blame, `any` or `none`."""
    doubt: Doubt = ""
    """`suspect`: a check doubts the question, or a person blames or excluded it. `sound`: neither."""
    beside: tuple[str, ...] = ()
    """Other evaluations to show with it."""
    differs: bool = False
    """Only questions on which one of those says otherwise."""
    labelled: frozenset[str] | None = None
    """For a person who labels blind: the verdicts that they have labelled. `corrected` and `open` then mean
    these and the others, and no other state is told apart (`annotation.blinding`)."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """Ids of questions that are in doubt."""

    suspect: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Beside:
    """What another evaluation says of the same question."""

    judgement_id: str
    state: str
    label: str
    score: float | None


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One line of the list."""

    judgement_id: str
    video_id: str
    video_title: str
    question_id: str | None
    """None for a verdict on a video's aspect as a whole, where a log holds no more."""
    kind: str
    question: str
    state: str
    label: str
    score: float | None
    corrected: bool
    stale: bool
    blame: str
    baseline: bool
    doubt: str = ""
    """`excluded`, `suspect` or nothing."""
    beside: tuple[Beside | None, ...] = ()
    """Per other evaluation; None where it lacks the question."""
    hidden: bool = False
    """Whether the person may not see the verdict yet."""


@dataclass(frozen=True, slots=True)
class VerdictPage:
    rows: tuple[VerdictRow, ...]
    total: int
    """Rows that the filter lets through."""
    counts: dict[str, int]
    """Over the whole evaluation (or its video), before states and words narrow it."""
    groups: tuple[int, ...]
    """Rows per video, in the order of the list; empty where the sort does not group by video."""


def verdicts(
    store: Store, wanted: VerdictFilter, offset: int = 0, limit: int = PAGE, doubts: Doubts | None = None
) -> VerdictPage:
    """A page of verdicts, worst first unless asked otherwise."""
    view = View(store, wanted, doubts or Doubts())
    rows = tuple(view.row(int(n)) for n in view.rows[offset : offset + limit])
    return VerdictPage(rows, len(view.rows), view.counts(), view.groups())


class View:
    """A filter and sort laid over an evaluation: which rows, in which order."""

    def __init__(self, store: Store, wanted: VerdictFilter, doubts: Doubts) -> None:
        index = index_of(store)
        self.wanted, self.doubts = wanted, doubts
        self.table = index.table(wanted.evaluation_id)
        self.others = [index.table(name) for name in wanted.beside]
        key = ("rows", wanted, doubts, *(id(other) for other in self.others))
        # The other tables are remembered with the key: their ids are not given to new ones.
        self.rows: Rows = self.table.remember(key, lambda: (self._rows(), self.others))[0]

    def _rows(self) -> Rows:
        chosen = np.flatnonzero(self._base() & self._narrow())
        keys = SORTS[self.wanted.sort](self)
        order = np.lexsort([key[chosen] for key in reversed(keys)]) if keys else np.arange(len(chosen))
        return chosen[order].astype(np.int32)

    # --- which rows -------------------------------------------------------------------

    def _base(self) -> Mask:
        """The evaluation, or one video or aspect of it."""
        mask = np.ones(len(self.table), bool)
        for column, word in (("video", self.wanted.video_id), ("kind", self.wanted.kind)):
            if word:
                mask &= self.table.has(column, word)
        return mask

    def _narrow(self) -> Mask:
        table, wanted = self.table, self.wanted
        mask = np.ones(len(table), bool)
        for column, word in (("source", wanted.source), ("discipline", wanted.discipline)):
            if word:
                mask &= table.has(column, word)
        if wanted.states:
            masks = [self.in_state(state) for state in wanted.states if state in STATES]
            mask &= np.logical_or.reduce(masks) if masks else True
        if wanted.blame:
            mask &= self._blamed(wanted.blame)
        if wanted.category:
            mask &= _containing(table, wanted.category)
        if wanted.doubt:
            mask &= self._doubted()
        if wanted.differs:
            mask &= np.logical_or.reduce([self.differs(other) for other in self.others] or [~mask])
        if wanted.words:
            mask &= _holding(table["haystack"], wanted.words.lower(), mask & self._base())
        return mask

    def in_state(self, state: str) -> Mask:
        """As `STATES`; for a blind person their own labels alone count."""
        labelled = self.wanted.labelled
        if labelled is None:
            return STATES[state](self.table)
        mine = _among(self.table["judgement"], labelled)
        return {"corrected": mine, "open": ~mine}.get(state, np.zeros(len(mine), bool))

    def _blamed(self, kind: str) -> Mask:
        none = self.table.has("blame", "")
        if kind in ("any", NO_BLAME):
            return none if kind == NO_BLAME else ~none
        return self.table.has("blame", kind)

    def _doubted(self) -> Mask:
        questions = self.table["question"]
        excluded = _among(questions, self.doubts.excluded)
        if self.wanted.doubt == "excluded":
            return excluded
        blamed = self.table.has("blame", "question")
        doubted = excluded | blamed | _among(questions, self.doubts.suspect)
        return doubted if self.wanted.doubt == "suspect" else ~doubted

    # --- beside -----------------------------------------------------------------------

    def partner(self, other: Table) -> NDArray[np.int64]:
        """Per row the row of the same question in another evaluation; -1 where it has none."""

        def find() -> tuple[NDArray[np.int64], Table]:
            rows = other.row_of_question()
            found = (rows.get(question, -1) if question else -1 for question in self.table["question"])
            return np.fromiter(found, np.int64, len(self.table)), other

        return self.table.remember(("partner", id(other)), find)[0]

    def differs(self, other: Table) -> Mask:
        """Where both have a verdict, and not the same one."""
        rows = self.partner(other)
        same = (self.table["label"] == other["label"][rows]) & (self.table["state"] == other["state"][rows])
        return (rows >= 0) & ~same if len(other) else np.zeros(len(self.table), bool)

    def gap(self, other: Table) -> NDArray[np.float64]:
        """Points between the two scores; -1 where one of them has none."""
        rows = self.partner(other)
        if not len(other):
            return np.full(len(self.table), -1.0)
        gap = np.abs(self.table["score"] - other["score"][rows])
        return np.where((rows >= 0) & ~np.isnan(gap), gap, -1.0)

    # --- what is shown ----------------------------------------------------------------

    def row(self, n: int) -> VerdictRow:
        table = self.table
        question = table["question"][n]
        return VerdictRow(
            judgement_id=table["judgement"][n], video_id=table.word("video", n),
            video_title=table.word("title", n), question_id=question or None, kind=table.word("kind", n),
            question=table["text"][n], state=table.word("state", n), label=table.word("label", n),
            score=_score(table, n), corrected=bool(table["corrected"][n]), stale=bool(table["stale"][n]),
            blame=table.word("blame", n), baseline=bool(table["baseline"][n]), doubt=self._doubt(question),
            beside=tuple(self._beside(other, n) for other in self.others),
        )  # fmt: skip

    def _doubt(self, question: str) -> str:
        if question in self.doubts.excluded:
            return "excluded"
        return "suspect" if question in self.doubts.suspect else ""

    def _beside(self, other: Table, n: int) -> Beside | None:
        row = int(self.partner(other)[n])
        if row < 0:
            return None
        return Beside(other["judgement"][row], other.word("state", row), other.word("label", row),
                      _score(other, row))  # fmt: skip

    def counts(self) -> dict[str, int]:
        """Verdicts in each state, before the filter narrows them; of all: one video or one aspect."""

        def count() -> dict[str, int]:
            base = self._base()
            each = {name: int(np.count_nonzero(self.in_state(name) & base)) for name in STATES}
            return {"all": int(np.count_nonzero(base))} | each

        wanted = self.wanted
        return self.table.remember(("counts", wanted.video_id, wanted.kind, wanted.labelled), count)

    def groups(self) -> tuple[int, ...]:
        if self.wanted.sort not in GROUPED or not len(self.rows):
            return ()
        video = self.table["video"][self.rows]
        begins = np.flatnonzero(np.append(True, video[1:] != video[:-1]))
        return tuple(np.diff(np.append(begins, len(video))).tolist())

    def next_open(self, after: str) -> int | None:
        """Where the next open verdict stands, from the first again after the last. None: no other."""
        places = np.flatnonzero(self.in_state("open")[self.rows])
        at = self.position(after) if after else None
        places = places[places != at]
        if not places.size:
            return None
        later = places[places > at] if at is not None else places
        return int(later[0] if later.size else places[0])

    def position(self, judgement_id: str) -> int | None:
        """Where a verdict stands in this order; None when the filter leaves it out."""
        row = self.table.row_of_judgement().get(judgement_id, -1)
        found = np.flatnonzero(self.rows == row)
        return int(found[0]) if found.size else None


def _score(table: Table, n: int) -> float | None:
    score = float(table["score"][n])
    return None if np.isnan(score) else score


def _among(ids: NDArray[Any], some: frozenset[str]) -> Mask:
    if not some:
        return np.zeros(len(ids), bool)
    return np.fromiter((name in some for name in ids), bool, len(ids))


def _containing(table: Table, words: str) -> Mask:
    """Rows whose category has these words in it: looked for once per category."""
    names = table.words["category"].names
    codes = [code for code, name in enumerate(names) if words.lower() in name.lower()]
    return np.isin(table["category"], codes)


def _holding(texts: NDArray[Any], words: str, among: Mask) -> Mask:
    found = np.zeros(len(texts), bool)
    rows = np.flatnonzero(among)
    found[rows] = np.fromiter((words in text for text in texts[rows]), bool, len(rows))
    return found


# --- sorts: keys, the most important first; ties stay in the order of the table --------


def _worst(view: View) -> list[NDArray[Any]]:
    # Unreadable is not wrong: "no" comes first, then what needs a look, "yes" last.
    table = view.table
    done = table.has("state", "done")
    rank = np.where(done & table.has("label", "no"), 0, np.where(done, 2, 1))
    return [rank, _low_first(table["score"])]


def _low_first(values: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.isnan(values), np.inf, values)


def _worst_video(view: View) -> list[NDArray[Any]]:
    """By the mean score over the video's readable verdicts, of any aspect."""
    table = view.table
    means = table.remember("means", lambda: video_means(table))
    video = table["video"]
    return [_low_first(means)[video], _video_order(table)[video], *_worst(view)]


def _video_order(table: Table) -> NDArray[np.int64]:
    return table.remember("video_order", lambda: table.words["video"].ranks())


def video_means(table: Table) -> NDArray[np.float64]:
    """Per code of a video; nan where no verdict of it can be read."""
    readable = table.has("state", "done") & ~np.isnan(table["score"])
    video, count = table["video"][readable], len(table.words["video"].names)
    sums = np.bincount(video, table["score"][readable], minlength=count)
    numbers = np.bincount(video, minlength=count)
    means: NDArray[np.float64] = np.divide(sums, numbers, out=np.full(count, np.nan), where=numbers > 0)
    return means


def _by_video(view: View) -> list[NDArray[Any]]:
    table = view.table
    titles = table.remember("title_order", lambda: table.words["title"].ranks())
    return [titles[table["title"]], _video_order(table)[table["video"]]]


def _newest(view: View) -> list[NDArray[Any]]:
    return [-view.table["updated"]]


def _unsure(view: View) -> list[NDArray[Any]]:
    """Scores of 2 to 3 first, the middle before its edges."""
    middle = sum(UNSURE) / 2
    return [_low_first(np.abs(view.table["score"] - middle)), *_worst(view)]


def _most_different(view: View) -> list[NDArray[Any]]:
    if not view.others:
        return _worst(view)
    differs = np.logical_or.reduce([view.differs(other) for other in view.others])
    gap = np.max([view.gap(other) for other in view.others], axis=0)
    return [~differs, -gap, *_worst(view)]


SORTS: Mapping[Sort, Callable[[View], Sequence[NDArray[Any]]]] = {
    "worst": _worst, "worst_video": _worst_video, "order": _by_video, "newest": _newest,
    "unsure": _unsure, "differs": _most_different,
}  # fmt: skip


def find_evaluation(store: Store, name_or_id: str) -> str:
    """The id of the evaluation with this name or id. Raises NotFound naming those there are."""
    found = store.find(Evaluation)
    for evaluation in found:
        if name_or_id in (evaluation.id, evaluation.name):
            return evaluation.id
    names = ", ".join(repr(e.name) for e in found) or "none yet"
    raise NotFound(f"no evaluation {name_or_id!r}; there are: {names}")


def newest_evaluation(store: Store) -> str:
    """The id of the newest evaluation that no baseline made, else of the newest; empty when there is none.

    A ceiling is nobody's captions: it comes after all others.
    """
    apart = {e.id for e in ceiling_evaluations(store)}
    found = sorted(plain_evaluations(store), key=lambda e: (e.id not in apart, not e.baseline, e.created_at))
    return found[-1].id if found else ""
