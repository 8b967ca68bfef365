"""Filter and sort long lists of verdicts on the server. The columns are from `columns_from_sql`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from annotation.scores.judge_consistency import flip_rate
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.store.verdicts.merge_rows import merged
from annotation.store.verdicts.other_evaluation import differs, gap, partner
from annotation.store.verdicts.state_filter import STATES, is_mean
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.verdicts.verdict_table import Table
from annotation.store.verdicts.video_order import VideoSort, video_ranks
from annotation.store.videos.library_index import videos_of

Sort = Literal[VideoSort, "verdict", "newest", "unsure", "inconsistent", "differs"]
GROUPED: tuple[VideoSort, ...] = get_args(VideoSort)
"""Sorts that group questions by video, in the order of the Library."""
Flag = Literal["", "suspect", "excluded", "sound"]
PAGE = 200
NO_ERROR_SOURCE = "none"
UNSURE = (2.0, 3.0)
"""Range of scores for which a judge is unsure."""
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]
Ordered = tuple[Rows, list[Table]]
"""Rows in order, and the other tables that they were compared with."""


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Which verdicts of an evaluation to show. Empty values match all."""

    evaluation_id: str
    video_id: str = ""
    kind: str = ""
    """An aspect: `camera`, as in scores, or `vdc:camera`, as in texts and questions."""
    states: tuple[str, ...] = ()
    """Any of the names in `STATES`."""
    words: str = ""
    """Text found in question or reference answer, case ignored."""
    sort: Sort = "verdict"
    category: str = ""
    """Text found in the category of the question, case ignored."""
    source: str = ""
    """The source of the video, as given by its dataset."""
    discipline: str = ""
    error_source: str = ""
    """A kind of error source, `any` or `none`."""
    flag: Flag = ""
    """`suspect`: a check flags the question, or a person names it as the error source or excluded it.
    `sound`: neither."""
    beside: tuple[str, ...] = ()
    """Other evaluations to show for comparison."""
    differs: bool = False
    """Only questions on which one of those has a different verdict."""
    among: frozenset[str] | None = None
    """Only these verdicts."""
    labelled: frozenset[str] | None = None
    """For a person who labels blind: the verdicts that they have labelled. `corrected` then selects these,
    `open` the others, and the other states select nothing (`annotation.people.who_labels_blind`)."""


@dataclass(frozen=True, slots=True)
class FlaggedQuestions:
    """Ids of questions that are flagged."""

    suspect: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Beside:
    """The verdict of another evaluation on the same question."""

    verdict_id: str
    state: str
    label: str
    score: float | None


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One row of the list."""

    verdict_id: str
    video_id: str
    video_title: str
    question_id: str | None
    """None for a verdict on an aspect of a video as a whole, from a log that contains only means."""
    kind: str
    question: str
    state: str
    label: str
    score: float | None
    corrected: bool
    """Whether people's verdict differs from the judge's."""
    stale: bool
    error_source: str
    baseline: bool
    confirmed: bool = False
    """Whether a person confirmed the judge's verdict."""
    disputed: bool = False
    """Whether people disagree."""
    flag: str = ""
    """`excluded`, `suspect` or empty."""
    beside: tuple[Beside | None, ...] = ()
    """One per other evaluation; None if it does not have the question."""
    hidden: bool = False
    """Whether the person may not see the verdict yet."""


class View:
    """An evaluation with a filter and a sort applied: its rows in order."""

    def __init__(self, store: Store, wanted: VerdictFilter, flagged: FlaggedQuestions) -> None:
        index = index_of(store)
        self.store, self.wanted, self.flagged = store, wanted, flagged
        self.table = index.table(wanted.evaluation_id)
        self.others = [index.table(name) for name in wanted.beside]
        repeats = kept_items(store, wanted.evaluation_id).runs if wanted.sort == "inconsistent" else ()
        order = videos_of(store).number if wanted.sort in GROUPED else None
        key = ("rows", wanted, flagged, repeats, order, *(id(other) for other in self.others))
        # The cached value references the other tables, so that their ids cannot be reused.
        self.rows: Rows = self.table.remember(
            key,
            self._rows,
            renew=None if wanted.sort == "inconsistent" else self._renewed,
        )[0]

    def _rows(self) -> Ordered:
        chosen = np.flatnonzero(self._fits(self.table))
        keys = SORTS[self.wanted.sort](self)
        order = np.lexsort([key[chosen] for key in reversed(keys)]) if keys else np.arange(len(chosen))
        return chosen[order].astype(np.int32), self.others

    def _renewed(self, old: Ordered, changed: NDArray[np.int64]) -> Ordered:
        """Return the rows of an earlier table, with the rows of changed videos moved to their new places.

        A change of a video's figures moves all of its rows.
        """
        rows, others = old
        moved = self.table.rows_beside(changed)
        keys = SORTS[self.wanted.sort](self)
        chosen = moved[self._fits(self.table.part(moved))]
        if keys:
            chosen = chosen[np.lexsort([key[chosen] for key in reversed(keys)])]
        stays = np.ones(len(self.table), bool)
        stays[moved] = False
        return merged(rows[stays[rows]], chosen.astype(np.int32), keys), others

    # --- which rows -------------------------------------------------------------------

    def _fits(self, table: Table) -> Mask:
        """Return which rows of an evaluation, or of a part of it, match the filter."""
        return self._base(table) & self._narrow(table)

    def _base(self, table: Table) -> Mask:
        """Return the rows of the evaluation, or of one video or aspect of it."""
        mask = np.ones(len(table), bool)
        if self.wanted.video_id:
            mask &= table.has("video", self.wanted.video_id)
        if self.wanted.kind:
            mask &= _of_aspect(table, self.wanted.kind)
        return mask

    def _narrow(self, table: Table) -> Mask:
        wanted = self.wanted
        mask = np.ones(len(table), bool)
        for column, word in (("source", wanted.source), ("discipline", wanted.discipline)):
            if word:
                mask &= table.has(column, word)
        if wanted.states:
            masks = [self.in_state(table, state) for state in wanted.states if state in STATES]
            mask &= np.logical_or.reduce(masks) if masks else True
        if wanted.error_source:
            mask &= _with_error_source(table, wanted.error_source)
        if wanted.among is not None:
            mask &= _among(table["verdict"], wanted.among)
        if wanted.category:
            mask &= _containing(table, wanted.category)
        if wanted.flag:
            mask &= self._doubted(table)
        if wanted.differs:
            others = [differs(table, other) for other in self.others]
            mask &= np.logical_or.reduce(others or [np.zeros(len(table), bool)])
        if wanted.words:
            mask &= _holding(table["haystack"], wanted.words.lower(), mask & self._base(table))
        return mask

    def in_state(self, table: Table, state: str) -> Mask:
        """Return the rows in a state of `STATES`. For a blind person, only their own labels are used."""
        labelled = self.wanted.labelled
        if labelled is None:
            return STATES[state](table)
        mine = _among(table["verdict"], labelled)
        return {"corrected": mine, "open": ~mine & ~is_mean(table)}.get(state, np.zeros(len(mine), bool))

    def _doubted(self, table: Table) -> Mask:
        questions = table["question"]
        excluded = _among(questions, self.flagged.excluded)
        if self.wanted.flag == "excluded":
            return excluded
        error_source = table.has("error_source", "question")
        flagged = excluded | error_source | _among(questions, self.flagged.suspect)
        return flagged if self.wanted.flag == "suspect" else ~flagged

    # --- what is shown ----------------------------------------------------------------

    def row(self, n: int) -> VerdictRow:
        table = self.table
        question = table["question"][n]
        return VerdictRow(
            verdict_id=table["verdict"][n],
            video_id=table.word("video", n),
            video_title=table.word("title", n),
            question_id=question or None,
            kind=table.word("kind", n),
            question=table["text"][n],
            state=table.word("state", n),
            label=table.word("label", n),
            score=_score(table, n),
            stale=bool(table["stale"][n]),
            confirmed=bool(table["confirmed"][n]),
            disputed=bool(table["disputed"][n]),
            corrected=bool(table["corrected"][n] and not table["confirmed"][n]),
            error_source=table.word("error_source", n),
            baseline=bool(table["baseline"][n]),
            flag=self._flag(question),
            beside=tuple(self._beside(other, n) for other in self.others),
        )

    def _flag(self, question: str) -> str:
        if question in self.flagged.excluded:
            return "excluded"
        return "suspect" if question in self.flagged.suspect else ""

    def _beside(self, other: Table, n: int) -> Beside | None:
        row = int(partner(self.table, other)[n])
        if row < 0:
            return None
        return Beside(
            other["verdict"][row], other.word("state", row), other.word("label", row), _score(other, row)
        )

    def counts(self) -> dict[str, int]:
        """Return the number of verdicts in each state, filtered only by video and aspect."""

        def count() -> dict[str, int]:
            base = self._base(self.table)
            each = {name: int(np.count_nonzero(self.in_state(self.table, name) & base)) for name in STATES}
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
        """Return the position of the next open verdict, wrapping around; None if there is no other."""
        places = np.flatnonzero(self.in_state(self.table, "open")[self.rows])
        at = self.position(after) if after else None
        places = places[places != at]
        if not places.size:
            return None
        later = places[places > at] if at is not None else places
        return int(later[0] if later.size else places[0])

    def position(self, verdict_id: str) -> int | None:
        """Return the position of a verdict in this order; None if the filter excludes it."""
        row = self.table.row_of_verdict().get(verdict_id, -1)
        found = np.flatnonzero(self.rows == row)
        return int(found[0]) if found.size else None


def _with_error_source(table: Table, kind: str) -> Mask:
    none = table.has("error_source", "")
    if kind in ("any", NO_ERROR_SOURCE):
        return none if kind == NO_ERROR_SOURCE else ~none
    return table.has("error_source", kind)


def _score(table: Table, n: int) -> float | None:
    score = float(table["score"][n])
    return None if np.isnan(score) else score


def _among(ids: NDArray[Any], some: frozenset[str]) -> Mask:
    if not some:
        return np.zeros(len(ids), bool)
    return np.fromiter((name in some for name in ids), bool, len(ids))


def _of_aspect(table: Table, aspect: str) -> Mask:
    """Return the rows of an aspect, whose name may have the prefix of its system."""
    names = table.words["kind"].names
    codes = [code for code, name in enumerate(names) if aspect in (name, name.partition(":")[2])]
    return np.isin(table["kind"], codes)


def _containing(table: Table, words: str) -> Mask:
    """Return the rows whose category contains this text. Each category is searched once."""
    names = table.words["category"].names
    codes = [code for code, name in enumerate(names) if words.lower() in name.lower()]
    return np.isin(table["category"], codes)


def _holding(texts: NDArray[Any], words: str, among: Mask) -> Mask:
    found = np.zeros(len(texts), bool)
    rows = np.flatnonzero(among)
    found[rows] = np.fromiter((words in text for text in texts[rows]), bool, len(rows))
    return found


# --- sorts: keys, the most important first; ties keep the order of the table -----------


def _by_verdict(view: View) -> list[NDArray[Any]]:
    # "no" comes first, then verdicts that could not be read (they are not wrong), "yes" last.
    table = view.table
    done = table.has("state", "done")
    rank = np.where(done & table.has("label", "no"), 0, np.where(done, 2, 1))
    return [rank, _low_first(table["score"])]


def _low_first(values: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.isnan(values), np.inf, values)


def _by_video(sort: VideoSort) -> Callable[[View], list[NDArray[Any]]]:
    """Sort by video as in the Library, then by verdict (by aspect if videos are sorted by title)."""

    def keys(view: View) -> list[NDArray[Any]]:
        ranks = video_ranks(view.store, view.table, sort)[view.table["video"]]
        return [ranks] if sort == "title" else [ranks, *_by_verdict(view)]

    return keys


def _newest(view: View) -> list[NDArray[Any]]:
    return [-view.table["updated"]]


def _unsure(view: View) -> list[NDArray[Any]]:
    """Sort scores from 2 to 3 first, with 2.5 before 2 and 3."""
    middle = sum(UNSURE) / 2
    return [_low_first(np.abs(view.table["score"] - middle)), *_by_verdict(view)]


def _inconsistent(view: View) -> list[NDArray[Any]]:
    """Sort answers first on which the judge contradicts itself most; answers judged once come last."""
    items = kept_items(view.store, view.wanted.evaluation_id).items
    rates = {item.verdict: rate for item in items if (rate := flip_rate(item)) is not None}
    return [np.array([-rates.get(verdict, -1.0) for verdict in view.table["verdict"]]), *_by_verdict(view)]


def _most_different(view: View) -> list[NDArray[Any]]:
    if not view.others:
        return _by_verdict(view)
    others = np.logical_or.reduce([differs(view.table, other) for other in view.others])
    points = np.max([gap(view.table, other) for other in view.others], axis=0)
    return [~others, -points, *_by_verdict(view)]


SORTS: Mapping[Sort, Callable[[View], Sequence[NDArray[Any]]]] = {
    **{sort: _by_video(sort) for sort in GROUPED},
    "verdict": _by_verdict,
    "newest": _newest,
    "unsure": _unsure,
    "inconsistent": _inconsistent,
    "differs": _most_different,
}
