"""Long lists: every sort is what a plain reading of the rows gives, and what is kept follows every change."""

from __future__ import annotations

from typing import get_args

import pytest

from annotation.records.captions_to_verdicts import Verdict
from annotation.replies.verdict_reply import contradicts_itself
from annotation.store.store import Store
from annotation.store.verdicts.figures_per_video import aspect_scores, verdict_counts
from annotation.store.verdicts.filter_and_order import SORTS, FlaggedQuestions, VerdictFilter, View
from annotation.store.verdicts.state_filter import STATES, StateName
from annotation.store.verdicts.verdict_columns_cache import VerdictIndex, index_of
from tests.annotation.store.made_verdicts import EACH, KINDS, VIDEOS, set_error_source, world
from tests.annotation.store.verdict_pages import verdicts
from ui.pages.verdicts.list_view import row_json


@pytest.fixture
def filled(store: Store) -> Store:
    store.add(world())
    return store


def ids(store: Store, **wanted: object) -> list[str]:
    return [row.verdict_id for row in verdicts(store, VerdictFilter("evl-a", **wanted), 0, 10_000).rows]


# --- the same as a plain reading ------------------------------------------------------


def rank(row) -> tuple:
    worst = 0 if row.label == "no" else 2 if row.state == "done" else 1
    return (worst, 9.0 if row.score is None else row.score)


@pytest.mark.parametrize("sort", sorted(SORTS))
def test_a_sort_is_stable_and_its_pages_are_parts_of_it(filled: Store, sort: str) -> None:
    wanted = VerdictFilter("evl-a", sort=sort, beside=("evl-b",))
    whole = verdicts(filled, wanted, 0, 10_000)
    assert len(whole.rows) == whole.total == VIDEOS * EACH * len(KINDS)
    pages = [row for start in range(0, whole.total, 11) for row in verdicts(filled, wanted, start, 11).rows]
    assert tuple(pages) == whole.rows
    view = View(filled, wanted, FlaggedQuestions())
    assert [view.position(row.verdict_id) for row in whole.rows] == list(range(whole.total))


def test_worst_questions_are_first(filled: Store) -> None:
    rows = verdicts(filled, VerdictFilter("evl-a", sort="verdict"), 0, 10_000).rows
    assert [rank(row) for row in rows] == sorted(rank(row) for row in rows)


def test_worst_videos_are_first_and_their_questions_together(filled: Store) -> None:
    page = verdicts(filled, VerdictFilter("evl-a", sort="aspect"), 0, 10_000)
    videos = list(dict.fromkeys(row.video_id for row in page.rows))
    assert len(page.groups) == len(videos) == VIDEOS
    means = {(s.video_id, s.kind): s.score for s in aspect_scores(filled, "evl-a")}
    lowest = [min(mean for (of, _), mean in means.items() if of == v) for v in videos]
    assert lowest == sorted(lowest)  # as in the Library
    start = 0
    for video, size in zip(videos, page.groups, strict=True):
        group = page.rows[start : start + size]
        assert {row.video_id for row in group} == {video}
        assert [rank(row) for row in group] == sorted(rank(row) for row in group)
        start += size


def test_by_video_goes_by_title_and_leaves_two_of_one_name_apart(filled: Store) -> None:
    page = verdicts(filled, VerdictFilter("evl-a", sort="title"), 0, 10_000)
    keys = [(row.video_title, row.video_id, row.kind) for row in page.rows]
    assert keys == sorted(keys) and page.groups == (EACH * len(KINDS),) * VIDEOS


def test_the_unsure_and_the_different_come_first(filled: Store) -> None:
    unsure = verdicts(filled, VerdictFilter("evl-a", sort="unsure"), 0, 10_000).rows
    away = [9.0 if row.score is None else abs(row.score - 2.5) for row in unsure]
    assert away == sorted(away)
    rows = verdicts(filled, VerdictFilter("evl-a", sort="differs", beside=("evl-b",)), 0, 10_000).rows
    differs = [_differs(row) for row in rows]
    assert differs == sorted(differs, reverse=True) and True in differs and False in differs
    only = verdicts(filled, VerdictFilter("evl-a", beside=("evl-b",), differs=True), 0, 10_000)
    assert only.total == sum(differs) and all(_differs(row) for row in only.rows)
    assert [row.beside for row in rows].count((None,)) > 0  # the second lacks some questions


def _differs(row) -> bool:
    (other,) = row.beside
    return other is not None and (other.state, other.label) != (row.state, row.label)


def test_every_state_has_its_name() -> None:
    assert get_args(StateName) == tuple(STATES)


def test_filters_add_up(filled: Store) -> None:
    everything = verdicts(filled, VerdictFilter("evl-a"), 0, 10_000)
    states = ("yes", "no", "unparsed", "failed", "missing")
    assert sum(everything.counts[name] for name in states) == everything.counts["all"] == everything.total
    for name in STATES:
        assert len(ids(filled, states=(name,))) == everything.counts[name], name
    for field, values in (
        ("source", ("ego4d", "pexels")),
        ("category", ("colour", "count")),
        ("kind", KINDS),
        ("words", ("red", "BLUE")),
        ("error_source", ("any", "none")),
        ("video_id", tuple(f"vid-{n}" for n in range(VIDEOS))),
    ):
        parts = [ids(filled, **{field: value}) for value in values]
        assert sum(len(part) for part in parts) == everything.total, field
        assert len(set().union(*parts)) == everything.total, field
    assert ids(filled, words="%") == [] and ids(filled, source="nowhere") == []
    assert len(ids(filled, states=("no", "yes"))) == everything.counts["no"] + everything.counts["yes"]


def test_doubts_are_what_is_suspect_excluded_or_with_error_source(filled: Store) -> None:
    first, second, third = (row for row in verdicts(filled, VerdictFilter("evl-a"), 0, 3).rows)
    set_error_source(filled, third.verdict_id, "question")
    flagged = FlaggedQuestions(frozenset([first.question_id]), frozenset([second.question_id]))
    found = {
        flag: {row.verdict_id for row in verdicts(filled, wanted, 0, 999, flagged).rows}
        for flag in ("suspect", "excluded", "sound")
        if (wanted := VerdictFilter("evl-a", flag=flag))
    }
    assert found["suspect"] == {first.verdict_id, second.verdict_id, third.verdict_id}
    assert found["excluded"] == {second.verdict_id}
    assert found["sound"] | found["suspect"] == set(ids(filled)) and not found["sound"] & found["suspect"]


# --- what is kept follows every change ------------------------------------------------


def test_another_process_is_heard(filled: Store, database: str) -> None:
    before = verdicts(filled, VerdictFilter("evl-a")).counts
    other = Store(database)
    set_error_source(other, ids(filled)[0], "judge")
    other.remove_video("vid-3")
    other.close()
    after = verdicts(filled, VerdictFilter("evl-a")).counts
    assert after["error_source"] == before["error_source"] + 1
    assert after["all"] == before["all"] - EACH * len(KINDS)


def test_only_what_changed_is_read_again(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts(filled, VerdictFilter("evl-a"))
    read: list[object] = []
    mended = VerdictIndex._mended
    monkeypatch.setattr(VerdictIndex, "_mended", lambda *given: read.append(given[4]) or mended(*given))
    monkeypatch.setattr(VerdictIndex, "_read", lambda *given: pytest.fail("everything was read again"))
    found = filled.get(Verdict, ids(filled)[0])
    before = index_of(filled).table("evl-a")
    assert read == []
    set_error_source(filled, found.id, "judge")
    assert verdicts(filled, VerdictFilter("evl-a", error_source="judge")).total == 1
    assert read == [(found.video_id,)]
    after = index_of(filled).table("evl-a")
    others = {name for name, column in after.columns.of.items() if column is not before[name]}
    assert others == {"error_source"}, "columns in which nothing changed are not copied"


def test_figures_are_those_of_the_rows(filled: Store) -> None:
    rows = verdicts(filled, VerdictFilter("evl-a"), 0, 10_000).rows
    for score in aspect_scores(filled, "evl-a"):
        mine = [r for r in rows if (r.video_id, r.kind) == (score.video_id, score.kind)]
        readable = [r for r in mine if r.score is not None]
        assert (score.n, score.of) == (len(readable), len(mine))
        assert score.score == pytest.approx(sum(r.score for r in readable) / len(readable))
        assert score.accuracy == pytest.approx(sum(r.label == "yes" for r in readable) / len(readable))
    counts = verdict_counts(filled, "evl-a")
    assert sum(sum(each.values()) for each in counts.values()) == len(rows)
    assert sum(each.get("no", 0) for each in counts.values()) == sum(r.label == "no" for r in rows)


def test_verdicts_that_contradict_themselves_are_kept_and_found(filled: Store) -> None:
    """A "no" with a high score and a "yes" with a low one count as they stand; one filter lists them."""
    everything = verdicts(filled, VerdictFilter("evl-a"), 0, 10_000)
    wanted = {row.verdict_id for row in everything.rows if contradicts_itself(row.label, row.score)}
    assert wanted
    assert set(ids(filled, states=("contradicts",))) == wanted
    assert all(row_json(row)["contradicts"] == (row.verdict_id in wanted) for row in everything.rows)
