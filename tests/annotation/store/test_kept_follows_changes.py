"""What is kept in memory and brought up to date equals what a new process reads, after every change."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit, apply_edit, exclude, set_error_source, set_opinion_rule
from annotation.editing.take_back_import import take_back
from annotation.people.who_labels_blind import Sight
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Person
from annotation.records.errors import StaleEdit
from annotation.records.ids import new_id
from annotation.records.runs import Evaluation, Run, RunVideo
from annotation.records.videos import Alias, Dataset, Video
from annotation.reports.flagged_questions import suspect_questions
from annotation.store.import_log import ImportLog
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.store.verdicts.figures_per_video import aspect_scores, lowest_means, verdict_counts
from annotation.store.verdicts.filter_and_order import SORTS, VerdictFilter
from annotation.store.verdicts.merge_rows import merged
from annotation.store.verdicts.state_filter import STATES
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.videos.library_index import videos_of
from backends.errors import UsageError
from tests.annotation.store.made_verdicts import KINDS, VIDEOS, verdict, world
from ui.pages.library.video_list import LibraryRequest, library_json
from ui.pages.verdicts.list_view import Place, list_json

STEPS = 50
PEOPLE = [
    Person(id=f"per-{role}", name=f"some {role}", role=role, created_at=1.0)  # type: ignore[arg-type]
    for role in ("annotator", "expert", "admin")
]
FILTERS: list[dict[str, Any]] = [
    *({"sort": sort} for sort in sorted(SORTS)),
    *({"states": (state,), "sort": "need"} for state in sorted(STATES)),
    {"words": "number 1", "sort": "newest"},
    {"error_source": "judge"},
    {"error_source": "none", "sort": "unsure"},
    {"flag": "suspect"},
    {"flag": "sound", "sort": "need"},
    {"flag": "excluded"},
    {"kind": KINDS[0], "category": "colour", "sort": "verdict"},
    {"source": "ego4d", "sort": "title"},
    {"sort": "differs", "beside": ("evl-b",)},
    {"sort": "need", "beside": ("evl-b",), "differs": True},
]


@pytest.fixture
def filled(store: Store) -> Store:
    store.add([*world(), *PEOPLE])
    return store


# --- what people, runs and imports do ---------------------------------------------------


class Team:
    """Random changes of one workspace, by the functions that pages and commands call."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.draw = store, random.Random(seed)
        self.imports: list[str] = []

    def act(self) -> str:
        """One of the actions below; its name."""
        action = self.draw.choice(ACTIONS)
        try:
            action(self)
        except (StaleEdit, UsageError) as error:  # another person's change stands above the one to be undone
            return f"{action.__name__}: {error}"
        return action.__name__

    def person(self) -> Person:
        return self.draw.choice(PEOPLE)

    def verdict(self) -> Verdict:
        return self.draw.choice(self.store.find(Verdict, order_by=["id"]))

    def video(self) -> Video:
        return self.draw.choice(self.store.find(Video, order_by=["id"]))

    def question(self) -> Question:
        return self.draw.choice(self.store.find(Question, order_by=["id"]))

    def judge(self) -> None:
        label = self.draw.choice(["yes", "no"])
        self._edit("verdict", self.verdict().id, "verdict", {"label": label, "score": self.draw.randrange(6)})

    def take_verdict_back(self) -> None:
        self._edit("verdict", self.verdict().id, "verdict", None, cleared=True)

    def name_error_source(self) -> None:
        kind = self.draw.choice(["judge", "question", ""])
        set_error_source(self.store, self.person(), self.verdict().id, kind)

    def reword(self) -> None:
        field = self.draw.choice(["text", "reference"])
        self._edit("question", self.question().id, field, f"Number {self.draw.randrange(4)}?")

    def correct_answer(self) -> None:
        self._edit("answer", self.draw.choice(self.store.find(Answer)).id, "value", str(self.draw.random()))

    def exclude(self) -> None:
        exclude(self.store, self.person(), self.question().id, self.draw.choice(["unfair", ""]))

    def undo(self) -> None:
        undo_and_redo.undo(self.store, self.person())

    def redo(self) -> None:
        undo_and_redo.redo(self.store, self.person())

    def judge_again(self) -> None:
        answer = self.store.get(Answer, self.verdict().subject_id)
        self.store.add([verdict(self.draw, answer, new_id("jdg"))])

    def rename(self) -> None:
        self.store.put(replace(self.video(), title=f"film {self.draw.randrange(9)}"))

    def fail(self) -> None:
        run = Run(id=new_id("run"), stage="captions", backend="x", model="x", created_at=1.0)
        state = self.draw.choice(["failed", "done"])
        video = self.video().id
        self.store.add([run])
        self.store.put(
            RunVideo(
                id=new_id("rnv"),
                run_id=run.id,
                video_id=video,
                stage="captions",
                state=state,  # type: ignore[arg-type]
                updated_at=self.draw.random(),
            )
        )

    def caption(self) -> None:
        run = self.store.find(Run, id="run-a")[0]
        self.store.add(
            [
                Text(
                    id=new_id("txt"),
                    video_id=(video := self.video().id),
                    kind="vdc:short",
                    subject_type="video",
                    subject_id=video,
                    value="A caption.",
                    created_at=1.0,
                    run_id=run.id,
                    baseline=self.draw.random() < 0.5,
                )
            ]
        )

    def bring(self) -> None:
        """An import: a new video, with verdicts, and another name for one that is here."""
        log = ImportLog(new_id("imp"))
        dataset = Dataset(id="dst-1", name="brought", format="vdc")
        number = len(self.imports)
        renamed = [
            replace(record, id=record.id.replace("vid-0", f"vid-n{number}"))
            if isinstance(record, Video)
            else replace(
                record,
                **{
                    name: f"{value}-n{number}"
                    for name, value in asdict(record).items()
                    if name in ("id", "question_id", "subject_id") and value
                },
                video_id=f"vid-n{number}",
            )
            for record in world(number)
            if getattr(record, "video_id", record.id) == "vid-0"
        ]
        alias = Alias(
            id=new_id("als"), video_id=self.video().id, dataset_id=dataset.id, alias=f"name {number}"
        )
        self.store.restore([dataset, *renamed, alias], (), log)
        self.imports.append(log.id)

    def take_import_back(self) -> None:
        if self.imports:
            with self.store.writing() as conn:
                take_back(conn, self.imports.pop())

    def change_rule(self) -> None:
        rule = self.draw.choice(["latest", "majority", "adjudicated"])
        set_opinion_rule(self.store, PEOPLE[-1], rule)

    def remove(self) -> None:
        if self.store.count(Video) > VIDEOS // 2:
            self.store.remove_video(self.video().id)

    def _edit(self, kind: Any, subject: str, field: str, value: Any, *, cleared: bool = False) -> None:
        revision = self.store.current(kind, subject, field).revision
        edit = Edit(kind, subject, field, value, revision, cleared=cleared)
        apply_edit(self.store, self.person(), edit)


ACTIONS: list[Callable[[Team], None]] = [
    *[Team.judge, Team.name_error_source, Team.undo] * 3,
    *[Team.take_verdict_back, Team.exclude, Team.reword, Team.redo] * 2,
    Team.correct_answer,
    Team.judge_again,
    Team.rename,
    Team.fail,
    Team.caption,
    Team.bring,
    Team.take_import_back,
    Team.change_rule,
    Team.remove,
]


# --- what is shown ----------------------------------------------------------------------


LISTS = 6
"""Looked at together: fewer than a table remembers, so that what it remembers is brought up to date."""


def shown(store: Store, lists: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """By name, what is computed from what is kept; of the lists these."""
    suspects = suspect_questions(store)
    yield "suspect", suspects
    for wanted in lists:
        yield f"list {wanted}", list_json(store, VerdictFilter("evl-a", **wanted), Place(0, 10_000), Sight())
    for evaluation in ("evl-a", "evl-b"):
        yield f"scores of {evaluation}", sorted(map(asdict, aspect_scores(store, evaluation)), key=str)
        yield f"counts of {evaluation}", verdict_counts(store, evaluation)
        items = kept_items(store, evaluation).items
        yield f"items of {evaluation}", sorted(map(asdict, items), key=lambda item: item["verdict"])
        yield f"videos of {evaluation}", _library(store, evaluation)
    videos = videos_of(store)
    yield "entries", (videos.ids, videos.entries)
    table = index_of(store).table("evl-a")
    means = {name: float(lowest_means(table)[table.code("video", name)]) for name in _named(table)}
    yield "lowest means", means
    yield "row of question", table.row_of_question()
    yield "row of verdict", table.row_of_verdict()


def _named(table: Any) -> list[str]:
    return sorted({table.word("video", row) for row in range(len(table))})


def _library(store: Store, evaluation: str) -> Mapping[str, Any]:
    blind = evaluation == "evl-b"
    return {**library_json(store, LibraryRequest(evaluation, blind=blind))}


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_equals_what_is_read_anew(filled: Store, database: str, seed: int) -> None:
    team, done = Team(filled, seed), []
    anew = Store(database)
    for _ in range(STEPS):
        done.append(team.act())
        lists = team.draw.sample(FILTERS, LISTS)
        anew._kept.clear()
        for (name, kept), (_, fresh) in zip(shown(filled, lists), shown(anew, lists), strict=True):
            assert kept == fresh, f"{name} after {done[-5:]}"
    anew.close()


def test_changes_that_pile_up_between_two_looks_are_followed_too(filled: Store, database: str) -> None:
    team = Team(filled, 9)
    for _ in range(12):
        lists = team.draw.sample(FILTERS, LISTS)
        dict(shown(filled, lists))
        done = [team.act() for _ in range(9)]
        anew = Store(database)
        assert dict(shown(filled, lists)) == dict(shown(anew, lists)), done
        anew.close()


def test_another_process_that_writes_is_noticed(filled: Store, database: str) -> None:
    elsewhere = Store(database)
    team = Team(elsewhere, 3)
    for _ in range(20):
        lists = team.draw.sample(FILTERS, LISTS)
        dict(shown(filled, lists))
        done = team.act()
        assert dict(shown(filled, lists)) == dict(shown(elsewhere, lists)), done
    elsewhere.close()


def test_an_evaluation_without_verdicts_is_followed_too(filled: Store) -> None:
    filled.add([Evaluation(id="evl-empty", name="empty", created_at=1.0)])
    table = index_of(filled).table("evl-empty")
    assert (len(table), table.rows_of_videos([0, -1]).tolist()) == (0, [])
    assert aspect_scores(filled, "evl-empty", ["vid-1"]) == []
    Team(filled, 1).judge()
    assert list_json(filled, VerdictFilter("evl-empty"), Place(0, 10), Sight())["total"] == 0


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_merged_as_a_sort_would_place_them(seed: int) -> None:
    draw = np.random.default_rng(seed)
    keys = [draw.integers(0, 3, 60), draw.choice([0.5, np.inf, -1.0], 60)]
    chosen = draw.permutation(60)[: draw.integers(0, 61)]

    def in_order(rows: Any) -> Any:
        rows = np.sort(rows)
        return rows[np.lexsort([key[rows] for key in reversed(keys)])].astype(np.int32)

    part = draw.integers(0, len(chosen) + 1)
    found = merged(in_order(chosen[:part]), in_order(chosen[part:]), keys)
    assert found.tolist() == in_order(chosen).tolist()
