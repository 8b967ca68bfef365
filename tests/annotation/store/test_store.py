"""The store on a real database: batches, corrections, staleness, what replaces what."""

from __future__ import annotations

from dataclasses import replace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select

from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import ErrorSource, Person
from annotation.records.errors import FormatError, NotFound, StaleEdit
from annotation.records.ids import new_id
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.store import bulk_rows
from annotation.store.store import Store
from annotation.store.tables import metadata, workspace
from backends.errors import UsageError
from backends.video_and_word_types import VideoFacts

CAPTION = "A red boat drifts left."


def chain(caption: str = CAPTION, version: str = "") -> list:
    """A video with one caption, one question, its answer and its verdict."""
    run = {"run_id": "run-1", "video_id": "vid-1", "created_at": 2.0}
    return [
        Video(id="vid-1", title="boat", created_at=1.0),
        Person(id="per-1", name="annotator", role="annotator", created_at=1.0),
        Run(id="run-1", stage="verdicts", backend="baseline", model="baseline", created_at=1.0),
        Text(id="txt-1", kind="vdc:short", subject_type="video", subject_id="vid-1", value=CAPTION, **run),
        Question(
            id="qst-1",
            kind="vdc:short",
            index=0,
            text="What colour?",
            reference="red",
            source_text_id="txt-1",
            source_hash=fingerprints.of_text(CAPTION),
            **run,
        ),
        Answer(
            id=f"ans-1{version}",
            question_id="qst-1",
            source="caption",
            value="red",
            text_id="txt-1",
            source_hash=fingerprints.of_answer(caption, "What colour?"),
            **run,
        ),
        Verdict(
            id=f"jdg-1{version}",
            subject_type="answer",
            subject_id=f"ans-1{version}",
            label="yes",
            score=4.8,
            value_type="yes_no_score",
            state="done",
            source_hash=fingerprints.of_verdict("What colour?", "red", "red"),
            **run,
        ),
    ]


def correct_caption(store: Store, value: str, base: int = 0, **more: object) -> None:
    store.correct("text", "txt-1", "value", value, person_id="per-1", base_revision=base, **more)


def test_a_new_database_has_the_declared_schema(store: Store) -> None:
    with store.writing() as conn:
        assert conn.scalar(select(workspace.c.id)).startswith("wsp-")
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_records_come_back_equal_and_twice_adds_nothing(store: Store) -> None:
    facts = VideoFacts(
        stream_index=0,
        frames=9,
        duration_s=0.3,
        width=4,
        height=2,
        rotation=90,
        sample_aspect="1:1",
        fps_avg=30.0,
        vfr=True,
        codec="h264",
        pixel_format="yuv420p",
        time_base="1/90000",
        start_pts=0,
        start_s=0.0,
        audio=False,
        browser_playable=True,
    )
    video = Video(id="vid-2", title="Ünïcode <b>", created_at=5.5, facts=facts, extra={"a": [1, None]})
    assert store.add([*chain(), video]) == 8
    assert store.add([*chain(), video]) == 0
    assert store.get(Video, "vid-2") == video
    for record in chain():
        assert store.get(type(record), record.id) == record


def test_more_than_one_question_to_the_database_takes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows go in and are looked up in groups; none is lost or taken twice at their edges."""
    monkeypatch.setattr(bulk_rows, "CHUNK", 100)
    videos = [Video(id=f"vid-{n}", title=f"'{n}\" \\ é", created_at=1.0, extra={"n": n}) for n in range(333)]
    about = {"video_id": "vid-1", "kind": "vdc:short", "created_at": 1.0}
    asked = [Question(id=f"q-{n}", index=n, text=f"What {n}?", reference="", **about) for n in range(333)]
    assert store.restore([*videos[:50], *videos, *asked])["Video"] == 333
    assert store.restore([*videos, *asked]) == dict.fromkeys(("Correction", "ErrorSource"), 0) | {
        "Video": 0,
        "Question": 0,
    }
    ids = [video.id for video in videos]
    assert sorted(store.find(Video, id=ids), key=lambda v: v.id) == sorted(videos, key=lambda v: v.id)
    assert store.find(Video, id=["no", *ids[:2]], title=videos[1].title) == [videos[1]]
    now = store.currents("question", [q.id for q in asked], "text")
    assert {key: current.value for key, current in now.items()} == {q.id: q.text for q in asked}


def test_a_batch_is_written_whole_or_not_at_all(store: Store) -> None:
    broken = [*chain()[:3], *chain()[4:]]  # the caption that the answer names is not there
    with pytest.raises(FormatError, match="nothing was written"):
        store.add(broken)
    assert store.find(Video) == []


def test_correction_keeps_the_machines_value_and_clearing_brings_it_back(store: Store) -> None:
    store.add(chain())
    correct_caption(store, "A red boat drifts right.")
    now = store.current("text", "txt-1", "value")
    assert (now.value, now.machine, now.corrected, now.revision) == (
        "A red boat drifts right.",
        CAPTION,
        True,
        1,
    )
    correct_caption(store, "", base=1, cleared=True)
    now = store.current("text", "txt-1", "value")
    assert (now.value, now.corrected, now.revision) == (CAPTION, False, 2)
    assert [c.cleared for c in store.history("text", "txt-1", "value")] == [False, True]


def test_an_edit_from_an_old_revision_is_refused_with_what_is_there(store: Store) -> None:
    store.add(chain())
    correct_caption(store, "first")
    with pytest.raises(StaleEdit) as refusal:
        correct_caption(store, "second", base=0)
    assert (refusal.value.current, refusal.value.revision) == ("first", 1)
    assert store.current("text", "txt-1", "value").value == "first"


def test_what_was_made_from_a_changed_text_is_stale_until_it_is_changed_back(store: Store) -> None:
    store.add(chain())

    def stale() -> list[bool]:
        return [
            store.current("question", "qst-1", "text").stale,
            store.current("answer", "ans-1", "value").stale,
            store.current("verdict", "jdg-1", "verdict").stale,
        ]

    assert stale() == [False, False, False]
    correct_caption(store, "A blue boat.")
    assert stale() == [True, True, True]
    correct_caption(store, CAPTION, base=1)
    assert stale() == [False, False, False]


@pytest.mark.parametrize(
    ("kind", "record", "field"),
    [("question", "qst-1", "reference"), ("question", "qst-1", "text"), ("answer", "ans-1", "value")],
)
def test_a_verdict_goes_stale_with_each_thing_the_judge_read(
    store: Store, kind: str, record: str, field: str
) -> None:
    store.add(chain())
    store.correct(kind, record, field, "crimson", person_id="per-1", base_revision=0)
    assert store.current("verdict", "jdg-1", "verdict").stale


def test_a_newer_result_supersedes_and_both_stay(store: Store) -> None:
    store.add(chain())
    correct_caption(store, "A blue boat.")
    store.add(chain(caption="A blue boat.", version="b"))
    old, new = (store.current("verdict", f"jdg-1{v}", "verdict") for v in ("", "b"))
    assert (old.superseded, old.stale) == (True, True)
    assert (new.superseded, new.stale) == (False, False)
    assert store.count(Verdict) == 2


def test_verdict_correction_changes_what_lists_see(store: Store) -> None:
    store.add(chain())
    store.correct(
        "verdict",
        "jdg-1",
        "verdict",
        {"label": "no", "score": 1},
        person_id="per-1",
        base_revision=0,
        reason="wrong colour",
    )
    now = store.current("verdict", "jdg-1", "verdict")
    assert now.value == {"label": "no", "score": 1.0}
    assert now.machine == {"label": "yes", "score": 4.8}


@pytest.mark.parametrize(
    "value",
    [
        {"label": "no"},
        {"label": "no", "score": 9},
        {"label": "", "score": 1},
        {"label": "no", "score": True},
        "no",
        None,
    ],
)
def test_values_that_are_no_verdict_are_refused(store: Store, value: object) -> None:
    store.add(chain())
    with pytest.raises(UsageError):
        store.correct("verdict", "jdg-1", "verdict", value, person_id="per-1", base_revision=0)


def test_unknown_things_are_named(store: Store) -> None:
    with pytest.raises(NotFound, match="vid-9"):
        store.get(Video, "vid-9")
    with pytest.raises(NotFound):
        store.current("text", "txt-9", "value")


def test_error_source_and_removal(store: Store) -> None:
    store.add(chain())
    store.set_error_source(
        ErrorSource(
            id=new_id("blm"),
            video_id="vid-1",
            verdict_id="jdg-1",
            person_id="per-1",
            kind="judge",
            created_at=3.0,
        )
    )
    correct_caption(store, "changed")
    store.remove_video("vid-1")
    assert [store.count(kind) for kind in (Video, Text, Question, Answer, Verdict, ErrorSource)] == [0] * 6
    assert store.history("text", "txt-1", "value") == []


def test_a_newer_machine_text_does_not_push_a_corrected_one_aside(store: Store) -> None:
    store.add(chain())
    correct_caption(store, "A red boat at a dock.")
    again = replace(chain()[3], id="txt-2", value="Something else.", created_at=9.0)
    store.add([again])
    old, new = (store.current("text", record, "value") for record in ("txt-1", "txt-2"))
    assert (old.superseded, new.superseded) == (False, True)
    correct_caption(store, "", base=1, cleared=True)
    store.add([replace(again, id="txt-3")])
    assert store.current("text", "txt-1", "value").superseded
    assert not store.current("text", "txt-3", "value").superseded
