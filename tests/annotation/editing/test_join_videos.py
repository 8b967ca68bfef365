"""Two records of one video are made one on every database; undo leaves every table as it was."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.editing import assignments
from annotation.editing.edits import (
    Edit,
    OwnText,
    apply_edit,
    exclude,
    pick_frames,
    set_error_source,
    write_text,
)
from annotation.editing.join_videos import candidates, join, same_bytes, undo_join
from annotation.editing.pinned_frames import pin_frame
from annotation.editing.take_back_import import take_back
from annotation.editing.undo_and_redo import redo, undo
from annotation.pipeline.stage_registry import STAGES
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import ErrorSource, Person, Study
from annotation.records.errors import NotAllowed, NotFound
from annotation.records.record_union import Record
from annotation.records.runs import Run, RunVideo
from annotation.records.videos import (
    BY_SECOND,
    Alias,
    Dataset,
    Frame,
    Measurement,
    Scene,
    SceneList,
    Segment,
    Video,
)
from annotation.store.import_log import ImportLog
from annotation.store.scenes_without_file import NOMINAL
from annotation.store.store import Store
from backends.errors import UsageError
from backends.video.probe import probe
from exports.catalogue import format_registry as formats
from tests.backends.clips import textured, write_clip
from tests.exports.peers.peer_files import loveu_log
from tests.whole_store import differing, tables

ME = Person(id="per-me", name="reviewer", role="researcher", created_at=1.0)
YOU = Person(id="per-you", name="annotator", role="annotator", created_at=1.0)
OF_THE_UNDO = {"action", "video_change"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_clip(tmp_path / "boat.mp4", [textured(seed) for seed in range(8)])


def film(file: Path, name: str = "boat") -> Video:
    facts, _ = probe(file)
    return Video(id=f"vid-{name}", title=name, created_at=2.0, path=str(file), sha256="00ff", facts=facts)


def seen(video: Video, run: str = "run-1") -> list[Record]:
    """What stages made of the file of a video; the runs are the same for every video."""
    stages = ("scenes", "captions", "frames", "questions", "answers", "verdicts")
    runs = [Run(id=f"{run}-{s}", stage=s, backend="baseline", model="m", created_at=3.0) for s in stages]
    here = {s: f"{run}-{s}" for s in stages}

    def key(kind: str) -> str:
        return f"{kind}-{run}-{video.id}"

    own: dict[str, Any] = {"video_id": video.id, "created_at": 3.0}
    return [
        *runs,
        *(
            RunVideo(id=key(f"rv-{s}"), run_id=here[s], video_id=video.id, stage=s, state="done")
            for s in stages
        ),
        SceneList(id=key("scl"), run_id=here["scenes"], **own),
        Scene(
            id=key("scn"), scene_list_id=key("scl"), video_id=video.id, key=key("sck"), index=0,
            start_frame=0, end_frame=8, start_pts=0, end_pts=8, start_s=0.0, end_s=0.3,
        ),
        Segment(
            id=key("seg"), video_id=video.id, run_id=here["scenes"], index=0, start_s=0.0, end_s=0.2,
            text="ahoy", language="en", avg_logprob=-0.1, no_speech_prob=0.0,
        ),
        Text(
            id=key("txt"), kind="vdc:camera", subject_type="video", subject_id=video.id, value="It pans.",
            run_id=here["captions"], **own,
        ),
        Frame(id=key("frm"), video_id=video.id, index=3, pts=3),
        Text(
            id=key("ftx"), kind="frame", subject_type="frame", subject_id=key("frm"), value="A boat.",
            run_id=here["frames"], **own,
        ),
        Question(
            id=key("qst"), kind="vdc:camera", index=0, text="Does it pan?", reference="yes",
            run_id=here["questions"], source_text_id=key("txt"), **own,
        ),
        Answer(
            id=key("ans"), question_id=key("qst"), run_id=here["answers"], source="caption", value="yes",
            text_id=key("txt"), **own,
        ),
        Verdict(
            id=key("jdg"), run_id=here["verdicts"], subject_type="answer", subject_id=key("ans"),
            value_type="yes_no_score", state="done", label="yes", score=5.0, **own,
        ),
    ]  # fmt: skip


def bring(store: Store, path: Path) -> None:
    formats.commit(store, formats.read(path, store), ImportLog(f"imp-{path.name}"))


def without_file(store: Store) -> Video:
    """A video of an imported log, on which people have worked."""
    [video] = store.find(Video, title="clip-a")
    first, second = store.find(Verdict, video_id=video.id, subject_type="answer", order_by=["id"])[:2]
    asked = store.find(Question, video_id=video.id, order_by=["id"])
    apply_edit(store, ME, Edit("verdict", first.id, "verdict", {"label": "yes", "score": 5}, 0, "seen"))
    set_error_source(store, ME, second.id, "judge")
    exclude(store, ME, asked[0].id, "nobody can know")
    write_text(store, ME, OwnText(video.id, "vdc:short", "A boat sails."))
    assignments.assign(store, ME, [video.id], YOU.id, "verdicts")
    return video


@pytest.fixture
def two(store: Store, tmp_path: Path, file: Path) -> tuple[Video, Video]:
    """A film on which stages and people have worked, and a video of a log without a file."""
    store.add([ME, YOU])
    boat = film(file)
    store.add([boat, *seen(boat)])
    caption = f"txt-run-1-{boat.id}"
    apply_edit(store, ME, Edit("text", caption, "value", "It pans to the left.", 0, ""))
    pick_frames(store, ME, boat.id, [1, 4])
    bring(store, loveu_log(tmp_path / "log"))
    return boat, without_file(store)


def of(store: Store, kind: type[Any], video: Video) -> int:
    return store.count(kind, video_id=video.id)


def test_everything_of_both_is_of_the_one_with_the_file(store: Store, two: tuple[Video, Video]) -> None:
    boat, waiting = two
    verdicts = of(store, Verdict, boat) + of(store, Verdict, waiting)
    texts = of(store, Text, boat) + of(store, Text, waiting)
    made = join(store, ME, waiting.id, boat.id)
    assert (made.kept.id, made.gone.id) == (boat.id, waiting.id)
    assert store.find(Video, id=waiting.id) == []
    assert of(store, Verdict, boat) == verdicts and of(store, Text, boat) == texts
    assert {alias.alias for alias in store.find(Alias, video_id=boat.id)} == {"clip-a"}
    about = {text.subject_id for text in store.find(Text, video_id=boat.id, subject_type="video")}
    assert about == {boat.id}
    [corrected] = [v for v in store.find(Verdict) if store.current("verdict", v.id, "verdict").corrected]
    assert corrected.video_id == boat.id
    assert len(assignments.all_work(store, [boat.id])) == 1


def test_undo_leaves_every_table_as_it_was_and_redo_joins_again(
    store: Store, two: tuple[Video, Video]
) -> None:
    boat, waiting = two
    before = tables(store)
    join(store, ME, waiting.id, boat.id)
    joined = tables(store)
    turn = undo(store, ME)
    assert turn and turn.action.what == "joined clip-a with boat" and not turn.left
    assert differing(before, tables(store)) <= OF_THE_UNDO
    assert [row for row in tables(store)["action"] if row in before["action"]] == before["action"]
    redo(store, ME)
    assert differing(joined, tables(store)) <= OF_THE_UNDO | {"import_part"}
    undo(store, ME)
    assert differing(before, tables(store)) <= OF_THE_UNDO


def test_decisions_of_before_can_be_undone_while_they_are_one(store: Store, two: tuple[Video, Video]) -> None:
    boat, waiting = two
    write_text(store, YOU, OwnText(waiting.id, "vdc:short", "A ship."))
    join(store, ME, waiting.id, boat.id)
    turn = undo(store, YOU)
    assert turn and not turn.left and turn.action.video_id == boat.id
    assert not [
        x for x in store.find(Text, person_id=YOU.id) if not store.current("text", x.id, "value").superseded
    ]


def test_what_was_done_since_goes_along(store: Store, two: tuple[Video, Video]) -> None:
    boat, waiting = two
    asked = store.find(Question, video_id=waiting.id, order_by=["id"])
    join(store, ME, waiting.id, boat.id)
    [second] = store.find(Verdict, video_id=boat.id, label="no", subject_type="answer")
    pin_frame(store, ME, asked[1].id, 2, True)
    set_error_source(store, ME, second.id, "extraction")
    store.add([
        Run(id="run-later", stage="answers", backend="baseline", model="later", created_at=9.0),
        Answer(
            id="ans-later", video_id=boat.id, question_id=asked[1].id, run_id="run-later", source="caption",
            value="no", created_at=9.0,
        ),
    ])  # fmt: skip
    turns = [undo(store, ME) for _ in range(3)]
    assert all(turn and not turn.left for turn in turns)
    assert store.get(Answer, "ans-later").video_id == waiting.id
    sources = store.find(ErrorSource, verdict_id=second.id)
    assert len(sources) >= 2 and {source.video_id for source in sources} == {waiting.id}
    assert store.find(Verdict, id=second.id)[0].video_id == waiting.id


def test_what_one_run_saw_in_both_is_kept_once(store: Store, file: Path) -> None:
    boat = film(file)
    copy = replace(film(file, "copy"), path=str(file))
    store.add([ME, YOU, boat, copy, *seen(boat), *seen(copy)])
    before = tables(store)
    assert [other.id for other in same_bytes(store, [boat])[boat.id]] == [copy.id]
    join(store, ME, boat.id, copy.id)
    for kind in (SceneList, Scene, Segment, Frame, Question, Answer, Verdict):
        assert of(store, kind, boat) == 1, kind
    assert of(store, Text, boat) == 2 and of(store, RunVideo, boat) == 6
    undo(store, ME)
    assert differing(before, tables(store)) <= OF_THE_UNDO


@pytest.mark.parametrize("stage", [spec.name for spec in STAGES if spec.reads_file])
def test_what_a_stage_measured_in_both_files_is_kept_once(store: Store, file: Path, stage: str) -> None:
    boat = film(file)
    copy = replace(film(file, "copy"), path=str(file))
    run = Run(id="run-m", stage=stage, backend="engine", model="m", created_at=3.0)
    store.add([ME, boat, copy, run])
    for video in (boat, copy):
        about = {"video_id": video.id, "run_id": run.id}
        subject: dict[str, Any] = {"subject_type": "video", "subject_id": video.id}
        state = RunVideo(id=f"rv-{video.id}", stage=stage, state="done", **about)
        store.add([state, Measurement(id=f"msr-{video.id}", kind="k", value={}, **about, **subject)])
    join(store, ME, boat.id, copy.id)
    assert of(store, Measurement, boat) == of(store, RunVideo, boat) == 1


def test_work_of_people_on_what_both_have_is_not_let_go(store: Store, file: Path) -> None:
    boat, copy = film(file), film(file, "copy")
    store.add([ME, YOU, boat, copy, *seen(boat), *seen(copy)])
    apply_edit(store, ME, Edit("text", f"txt-run-1-{copy.id}", "value", "It pans slowly.", 0, ""))
    before = tables(store)
    with pytest.raises(UsageError, match=r"people worked on results of 'copy'.*keep 'copy' instead"):
        join(store, ME, boat.id, copy.id)
    assert before == tables(store)
    assert join(store, ME, copy.id, boat.id).kept.id == copy.id
    assert store.current("text", f"txt-run-1-{copy.id}", "value").value == "It pans slowly."


def test_results_that_only_the_other_has_come_along(store: Store, file: Path) -> None:
    boat, copy = film(file), film(file, "copy")
    store.add([ME, boat, copy, *seen(boat, "run-1"), *seen(copy, "run-2")])
    join(store, ME, boat.id, copy.id)
    assert of(store, Verdict, boat) == 2 and of(store, Text, boat) == 4
    frames = store.find(Frame, video_id=boat.id)
    about = {text.subject_id for text in store.find(Text, video_id=boat.id, kind="frame")}
    assert len(frames) == 1 and about == {frames[0].id}


CLASHES = {
    "other bytes": "their files differ",
    "by second": "counted by second",
    "dataset": "VDC lists both",
    "texts": "reviewer has written the vdc:short of both",
    "work": "the verdicts task of both is assigned to annotator",
    "cuts": "people have set the cuts of both",
    "keyframes": "reviewer has picked keyframes of both",
    "actions": "two action labels",
}


@pytest.mark.parametrize("what", CLASHES)
def test_a_clash_is_named_and_nothing_is_changed(store: Store, file: Path, what: str) -> None:
    boat, other = film(file), Video(id="vid-other", title="other", created_at=1.0)
    changed = {
        "other bytes": replace(other, sha256="00aa"),
        "by second": replace(other, extra={BY_SECOND: True}),
        "actions": replace(other, action="sailing"),
    }
    store.add([ME, YOU, replace(boat, action="rowing"), changed.get(what, other)])
    clash(store, what, (boat, other))
    before = tables(store)
    with pytest.raises(UsageError, match=CLASHES[what]):
        join(store, ME, boat.id, other.id)
    assert before == tables(store)


def clash(store: Store, what: str, videos: Sequence[Video]) -> None:
    """The same work on both."""
    for video in videos:
        if what == "dataset":
            store.add([Dataset(id="dst", name="VDC", format="vdc")])
            store.add([Alias(id=f"als-{video.id}", dataset_id="dst", alias=video.title, video_id=video.id)])
        elif what == "texts":
            write_text(store, ME, OwnText(video.id, "vdc:short", "A boat."))
        elif what == "work":
            assignments.assign(store, ME, [video.id], YOU.id, "verdicts")
        elif what == "cuts":
            store.add([SceneList(id=f"scl-{video.id}", video_id=video.id, created_at=1.0, person_id=ME.id)])
        elif what == "keyframes":
            store.put(replace(video, facts=videos[0].facts))
            pick_frames(store, ME, video.id, [0])


def test_who_may_not_add_may_not_join(store: Store, file: Path) -> None:
    store.add([YOU, film(file), Video(id="vid-other", title="other", created_at=1.0)])
    with pytest.raises(NotAllowed):
        join(store, YOU, "vid-boat", "vid-other")


def test_it_is_taken_back_by_its_id(store: Store, two: tuple[Video, Video]) -> None:
    boat, waiting = two
    before = tables(store)
    made = join(store, ME, boat.id, waiting.id)
    undo_join(store, made.id)
    assert differing(before, tables(store)) <= OF_THE_UNDO
    with pytest.raises(NotFound, match="join --json"):
        undo_join(store, "join-none")
    with pytest.raises(NotFound):
        undo_join(store, made.id)


def test_scenes_that_came_with_times_alone_stand_on_the_file_and_undo_brings_the_times_back(
    store: Store, file: Path
) -> None:
    boat, script = film(file), Video(id="vid-script", title="script", created_at=1.0)
    own: dict[str, Any] = {"scene_list_id": "scl", "video_id": script.id}
    times = {"start_s": 0.0, "end_s": 0.16, "start_pts": 0, "end_pts": 160}
    later = {"start_s": 0.16, "end_s": 0.32, "start_pts": 160, "end_pts": 320}
    store.add([
        ME, boat, script, SceneList(id="scl", video_id=script.id, created_at=1.0, note=NOMINAL),
        Scene(id="scn-0", key="k0", index=0, start_frame=0, end_frame=160, **own, **times),
        Scene(id="scn-1", key="k1", index=1, start_frame=160, end_frame=320, **own, **later),
    ])  # fmt: skip
    before = tables(store)
    join(store, ME, script.id, boat.id)
    found = [(s.video_id, s.start_frame, s.end_frame) for s in store.find(Scene, order_by=["index"])]
    assert found == [(boat.id, 0, 4), (boat.id, 4, 8)] and store.get(SceneList, "scl").note == ""
    undo(store, ME)
    assert differing(before, tables(store)) <= OF_THE_UNDO


def test_studies_name_the_video_that_stays(store: Store, file: Path) -> None:
    boat, copy = film(file), film(file, "copy")
    runs = [Run(id=f"run-{n}", stage="frames", backend="b", model="m", created_at=1.0) for n in (1, 2)]
    sequences = ({"video_id": boat.id, "frames": [1]}, {"video_id": copy.id, "frames": [2, 3]})
    study = Study(
        id="stu", name="which", runs=("run-1", "run-2"), sequences=sequences, seed=1, person_id=ME.id,
        created_at=1.0,
    )  # fmt: skip
    store.add([ME, boat, copy, *runs, study])
    before = tables(store)
    join(store, ME, boat.id, copy.id)
    assert [one["video_id"] for one in store.get(Study, "stu").sequences] == [boat.id, boat.id]
    undo(store, ME)
    assert differing(before, tables(store)) <= OF_THE_UNDO


def test_an_import_is_taken_back_while_its_video_is_joined(store: Store, two: tuple[Video, Video]) -> None:
    boat, waiting = two
    join(store, ME, waiting.id, boat.id)
    with store.writing() as conn:
        take_back(conn, "imp-log")
    assert store.find(Alias) == [] and {v.video_id for v in store.find(Verdict)} == {boat.id}
    assert of(store, Verdict, boat) == 1 and store.find(Video, id=boat.id)
    turn = undo(store, ME)
    assert turn and not turn.left and store.find(Video, id=waiting.id)
    assert {text.person_id for text in store.find(Text, video_id=waiting.id)} == {ME.id}


def test_a_log_that_is_imported_again_finds_its_verdicts(
    store: Store, two: tuple[Video, Video], tmp_path: Path
) -> None:
    boat, waiting = two
    join(store, ME, boat.id, waiting.id)
    verdicts, answers = store.count(Verdict), store.count(Answer)
    bring(store, tmp_path / "log")
    assert (store.count(Verdict), store.count(Answer)) == (verdicts, answers)
    assert store.find(Video, id=waiting.id) == []


def test_what_may_be_one_is_found_by_name_and_bytes(
    store: Store, two: tuple[Video, Video], file: Path
) -> None:
    boat, waiting = two
    assert candidates(store, waiting) == []
    store.put(replace(boat, path=str(file.with_name("clip-a.mp4"))))
    assert [(video.id, why) for video, why in candidates(store, waiting)] == [(boat.id, "the same name")]
    store.add([replace(film(file, "copy"), created_at=time.time())])
    assert [(v.id, why) for v, why in candidates(store, store.get(Video, boat.id))] == [
        ("vid-copy", "the same bytes"),
        (waiting.id, "the same name"),
    ]
