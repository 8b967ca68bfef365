"""Long lists: every sort is what a plain reading of the rows gives, and what is kept follows every change."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from annotation.records import (
    Answer,
    Blame,
    Evaluation,
    EvaluationRun,
    Judgement,
    Person,
    Question,
    Record,
    Run,
    Video,
    new_id,
)  # fmt: skip
from annotation.store.figures import aspect_scores, verdict_counts
from annotation.store.lists import SORTS, Doubts, VerdictFilter, View, verdicts
from annotation.store.store import Store
from annotation.store.verdict_index import VerdictIndex, index_of
from annotation.store.verdict_states import STATES

KINDS = ("vdc:camera", "vdc:short")
VIDEOS, EACH = 7, 6
PERSON = Person(id="per-1", name="annotator", role="annotator", created_at=1.0)


def world(seed: int = 0) -> list[Record]:
    """Two evaluations over the same questions; the second lacks some."""
    draw = random.Random(seed)
    records: list[Record] = [PERSON]
    for name in ("a", "b"):
        run = Run(id=f"run-{name}", stage="verdicts", backend="import:x", model=name, created_at=1.0)
        evaluation = Evaluation(id=f"evl-{name}", name=name, created_at=1.0)
        records += [run, evaluation, EvaluationRun(id=f"evr-{name}", evaluation_id=evaluation.id,
                                                   role="verdicts", run_id=run.id)]  # fmt: skip
    for v in range(VIDEOS):
        source = {"video_source": ("ego4d", "pexels")[v % 2]}
        # Two videos of one name, and names that sort otherwise than ids.
        records.append(Video(id=f"vid-{v}", title=f"film {(VIDEOS - v) // 2}", created_at=1.0, extra=source))
        for kind in KINDS:
            records += [r for n in range(EACH) for r in _one(draw, v, kind, n)]
    return records


def _one(draw: random.Random, v: int, kind: str, n: int) -> list[Record]:
    key = f"{v}-{kind[-1]}-{n}"
    question = Question(
        id=f"qst-{key}", video_id=f"vid-{v}", kind=kind, index=n, text=f"What is Number {n % 4}?",
        reference=f"a {'RED' if n % 2 else 'blue'} thing", category=("colour", "count")[n % 2],
        created_at=1.0,
    )  # fmt: skip
    found: list[Record] = [question]
    for name in ("a", "b"):
        if name == "b" and draw.random() < 0.3:
            continue
        answer = Answer(id=f"ans-{name}-{key}", video_id=question.video_id, question_id=question.id,
                        run_id=f"run-{name}", source="imported", value="x", created_at=1.0)  # fmt: skip
        found += [answer, verdict(draw, answer, f"jdg-{name}-{draw.randrange(10**6)}-{key}")]
    return found


def verdict(draw: random.Random, answer: Answer, judgement_id: str) -> Judgement:
    state = draw.choice(["done", "done", "done", "unparsed", "failed"])
    label = draw.choice(["yes", "no"]) if state == "done" else ""
    return Judgement(
        id=judgement_id, video_id=answer.video_id, run_id=answer.run_id, subject_type="answer",
        subject_id=answer.id, value_type="yes_no_score", created_at=float(draw.randrange(5)), state=state,
        label=label, score=draw.choice([0, 1, 2, 2.5, 3, 4.8]) if label else None,
    )  # fmt: skip


@pytest.fixture
def filled(store: Store) -> Store:
    store.add(world())
    return store


def ids(store: Store, **wanted: object) -> list[str]:
    return [row.judgement_id for row in verdicts(store, VerdictFilter("evl-a", **wanted), 0, 10_000).rows]


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
    view = View(filled, wanted, Doubts())
    assert [view.position(row.judgement_id) for row in whole.rows] == list(range(whole.total))


def test_worst_questions_are_first(filled: Store) -> None:
    rows = verdicts(filled, VerdictFilter("evl-a", sort="worst"), 0, 10_000).rows
    assert [rank(row) for row in rows] == sorted(rank(row) for row in rows)


def test_worst_videos_are_first_and_their_questions_together(filled: Store) -> None:
    page = verdicts(filled, VerdictFilter("evl-a", sort="worst_video"), 0, 10_000)
    videos = list(dict.fromkeys(row.video_id for row in page.rows))
    assert len(page.groups) == len(videos) == VIDEOS
    scores = {v: [r.score for r in page.rows if r.video_id == v and r.score is not None] for v in videos}
    means = [sum(scores[v]) / len(scores[v]) for v in videos]
    assert means == sorted(means)
    start = 0
    for video, size in zip(videos, page.groups, strict=True):
        group = page.rows[start : start + size]
        assert {row.video_id for row in group} == {video}
        assert [rank(row) for row in group] == sorted(rank(row) for row in group)
        start += size


def test_by_video_goes_by_title_and_leaves_two_of_one_name_apart(filled: Store) -> None:
    page = verdicts(filled, VerdictFilter("evl-a", sort="order"), 0, 10_000)
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


def test_filters_add_up(filled: Store) -> None:
    everything = verdicts(filled, VerdictFilter("evl-a"), 0, 10_000)
    states = ("yes", "no", "unparsed", "failed", "missing")
    assert sum(everything.counts[name] for name in states) == everything.counts["all"] == everything.total
    for name in STATES:
        assert len(ids(filled, states=(name,))) == everything.counts[name], name
    for field, values in (("source", ("ego4d", "pexels")), ("category", ("colour", "count")),
                          ("kind", KINDS), ("words", ("red", "BLUE")), ("blame", ("any", "none")),
                          ("video_id", tuple(f"vid-{n}" for n in range(VIDEOS)))):  # fmt: skip
        parts = [ids(filled, **{field: value}) for value in values]
        assert sum(len(part) for part in parts) == everything.total, field
        assert len(set().union(*parts)) == everything.total, field
    assert ids(filled, words="%") == [] and ids(filled, source="nowhere") == []
    assert len(ids(filled, states=("no", "yes"))) == everything.counts["no"] + everything.counts["yes"]


def test_doubts_are_what_is_suspect_excluded_or_blamed(filled: Store) -> None:
    first, second, third = (row for row in verdicts(filled, VerdictFilter("evl-a"), 0, 3).rows)
    blame(filled, third.judgement_id, "question")
    doubts = Doubts(frozenset([first.question_id]), frozenset([second.question_id]))
    found = {
        doubt: {row.judgement_id for row in verdicts(filled, wanted, 0, 999, doubts).rows}
        for doubt in ("suspect", "excluded", "sound")
        if (wanted := VerdictFilter("evl-a", doubt=doubt))
    }
    assert found["suspect"] == {first.judgement_id, second.judgement_id, third.judgement_id}
    assert found["excluded"] == {second.judgement_id}
    assert found["sound"] | found["suspect"] == set(ids(filled)) and not found["sound"] & found["suspect"]


# --- what is kept follows every change ------------------------------------------------


def blame(store: Store, judgement_id: str, kind: str) -> None:
    video = store.get(Judgement, judgement_id).video_id
    store.blame(Blame(id=new_id("blm"), video_id=video, judgement_id=judgement_id, person_id=PERSON.id,
                      kind=kind, created_at=2.0))  # fmt: skip


def change(store: Store, draw: random.Random) -> None:
    """One of the things that people and runs do."""
    found = draw.choice(store.find(Judgement))
    what = draw.randrange(6)
    if what == 0:
        blame(store, found.id, draw.choice(["judge", "question", ""]))
    elif what == 1:
        now = store.current("judgement", found.id, "verdict")
        store.correct("judgement", found.id, "verdict", {"label": "yes", "score": 4}, person_id=PERSON.id,
                      base_revision=now.revision, cleared=now.corrected)  # fmt: skip
    elif what == 2:
        question = store.get(Question, store.get(Answer, found.subject_id).question_id)
        now = store.current("question", question.id, "text")
        store.correct("question", question.id, "text", f"Other words {draw.random()}?",
                      person_id=PERSON.id, base_revision=now.revision)  # fmt: skip
    elif what == 3:  # judged again
        store.add([verdict(draw, store.get(Answer, found.subject_id), new_id("jdg"))])
    elif what == 4:
        video = store.get(Video, found.video_id)
        store.put(replace(video, title=f"film {draw.randrange(9)}"))
    elif len(store.find(Video)) > 3:
        store.remove_video(found.video_id)


def test_the_kept_columns_are_those_that_would_be_read_anew(filled: Store) -> None:
    draw = random.Random(4)
    for _ in range(60):
        change(filled, draw)
        for sort in ("worst_video", "order", "newest"):
            wanted = VerdictFilter("evl-a", sort=sort, beside=("evl-b",))
            kept = verdicts(filled, wanted, 0, 10_000)
            filled._kept.clear()
            assert verdicts(filled, wanted, 0, 10_000) == kept
    assert index_of(filled) is index_of(filled)


def test_another_process_is_heard(filled: Store, database: str) -> None:
    before = verdicts(filled, VerdictFilter("evl-a")).counts
    other = Store(database)
    blame(other, ids(filled)[0], "judge")
    other.remove_video("vid-3")
    other.close()
    after = verdicts(filled, VerdictFilter("evl-a")).counts
    assert after["blamed"] == before["blamed"] + 1 and after["all"] == before["all"] - EACH * len(KINDS)


def test_only_what_changed_is_read_again(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts(filled, VerdictFilter("evl-a"))
    read: list[object] = []
    mended = VerdictIndex._mended
    monkeypatch.setattr(VerdictIndex, "_mended", lambda *given: read.append(given[4]) or mended(*given))
    monkeypatch.setattr(VerdictIndex, "_read", lambda *given: pytest.fail("everything was read again"))
    found = filled.get(Judgement, ids(filled)[0])
    assert read == []
    blame(filled, found.id, "judge")
    assert verdicts(filled, VerdictFilter("evl-a", blame="judge")).total == 1
    assert read == [[found.video_id]]


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
